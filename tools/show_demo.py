"""Print the results of `make demo`: test accuracy beside two baselines, and tagged sentences."""

import collections
import json
import pathlib
import sys

import conllu


def tagged_words(path: str) -> list:
    """Return the (lower-cased word, tag) pairs of a CoNLL-U file."""
    sentences = conllu.parse(pathlib.Path(path).read_text(encoding="utf-8"))
    words = [word for sentence in sentences for word in sentence if isinstance(word["id"], int)]
    return [(word["form"].lower(), word["xpos"]) for word in words]


def main(folder: pathlib.Path) -> None:
    train, test = tagged_words("fixtures/pos/train.conllu"), tagged_words("fixtures/pos/test.conllu")
    by_word = collections.defaultdict(collections.Counter)
    for word, tag in train:
        by_word[word][tag] += 1
    most_frequent, _ = collections.Counter(tag for _, tag in train).most_common(1)[0]
    tag_of_word = {word: tags.most_common(1)[0][0] for word, tags in by_word.items()}
    metrics = json.loads((folder / "metrics.json").read_text())

    def accuracy(guess: dict) -> float:
        return sum(guess.get(word, most_frequent) == tag for word, tag in test) / len(test)

    print("\nAccuracy on fixtures/pos/test.conllu, which training has not seen:")
    print(f"  most frequent tag everywhere ({most_frequent})  {accuracy({}):7.1%}")
    print(f"  most frequent tag of each word     {accuracy(tag_of_word):7.1%}")
    print(f"  S-LSTM-CRF                         {metrics['test_accuracy']:7.1%}")
    if metrics["test_accuracy"] <= accuracy({}):
        sys.exit("The S-LSTM-CRF has learned nothing, expected more than the most frequent tag.")
    print("\nfixtures/pos/raw.jsonl, tagged:")
    for line in (folder / "tagged.jsonl").read_text(encoding="utf-8").splitlines():
        print(" ", json.loads(line)["tagged"])


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
