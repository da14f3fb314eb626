"""
SacreBLEU of translations that `allennlp predict` made:

    python experiments/bleu.py PREDICTIONS REFERENCES

PREDICTIONS holds a JSON object a line, with `predicted_tokens`; REFERENCES a sentence a line, or
columns with the reference in the last one. Both are compared as they are, split at white space: what was
tokenised and lower-cased stays so, but pieces of words (`Trans@@ lation`) are joined. Prints the score
and sacreBLEU's signature.
"""

import argparse
import json
import re
import sys
from typing import List

from sacrebleu.metrics import BLEU

# The "@@ " behind a piece, which is not that behind AllenNLP's unknown word.
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
    bleu = BLEU(tokenize="none", force=True)  # force: the text is tokenised, which it would warn of
    score = bleu.corpus_score(predictions, [references])
    print(f"{score.score:.2f} BLEU on the text as it is, {bleu.get_signature()}")


if __name__ == "__main__":
    main()
