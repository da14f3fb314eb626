"""
Compute sacreBLEU of translations by `allennlp predict`.

    python experiments/bleu.py PREDICTIONS REFERENCES

PREDICTIONS has one JSON object per line, with `predicted_tokens`. REFERENCES has one sentence per line,
or columns of which the last is the reference. Texts are split at white space, and subwords
(`Trans@@ lation`) are joined. Otherwise they are compared as they are, with the tokenisation and case of
the files. The script prints the score and sacreBLEU's signature.
"""

import argparse
import json
import re
import sys
from typing import List

from sacrebleu.metrics import BLEU

# The "@@ " after a subword, but not the end of AllenNLP's unknown word, "@@UNKNOWN@@".
_JOINT = re.compile(r"(?<!@@UNKNOWN)@@( |$)")


def words(text: str) -> str:
    return _JOINT.sub("", " ".join(text.split()))


def read_predictions(path: str) -> List[str]:
    with open(path, encoding="utf-8") as file:
        return [words(" ".join(json.loads(line)["predicted_tokens"])) for line in file]


def read_references(path: str) -> List[str]:
    with open(path, encoding="utf-8") as file:
        return [words(line.rstrip("\n").rpartition("\t")[2]) for line in file]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0].strip())
    parser.add_argument("predictions")
    parser.add_argument("references")
    arguments = parser.parse_args()
    predictions = read_predictions(arguments.predictions)
    references = read_references(arguments.references)
    if len(predictions) != len(references):
        sys.exit(
            f"bleu.py: {arguments.predictions} has {len(predictions)} lines and {arguments.references} "
            f"has {len(references)}, expected the same number"
        )
    bleu = BLEU(tokenize="none", force=True)  # force: no warning that the text is tokenised
    score = bleu.corpus_score(predictions, [references])
    print(f"{score.score:.2f} BLEU on the text as it is, {bleu.get_signature()}")


if __name__ == "__main__":
    main()
