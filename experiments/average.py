"""
Average the probabilities of two systems of a comparison, as scikit-learn's VotingClassifier does.

    python experiments/average.py OUT DATA CORPUS [--systems bert slstm] [--others FOLDER]

OUT is the --output-dir of `slstm compare experiments/bert.jsonnet` on the CORPUS, whose folder is
DATA (as for today.py). The average with each seed is added to experiments/today.json. With
`--others`, all are also scored on the sentences of Pang and Lee's corpus in this folder that are not
in MR's files. With several seeds, so is the average of the first system with its two first seeds.
"""

import argparse
import pathlib
import re

import numpy
import torch
from allennlp.models import load_archive
from allennlp.predictors import Predictor
from today import add, read

from slstm_allennlp.comparison.significance import Spread

DEVICE = 0 if torch.cuda.is_available() else -1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("corpus")
    parser.add_argument("--systems", nargs=2, default=["bert", "slstm"])
    parser.add_argument("--others", type=pathlib.Path)
    arguments = parser.parse_args()
    train, dev, test = read(arguments.data, arguments.corpus)
    parts = {"dev": dev, "test": test}
    if arguments.others is not None:
        parts["others"] = others(
            arguments.others, {letters(text) for part in (train, dev, test) for text in part[0]}
        )
    first, second = arguments.systems
    seeds = sorted(int(path.name.rpartition("-")[2]) for path in arguments.out.glob(f"runs/{first}-*"))
    found = {
        (system, seed): {
            part: probabilities(arguments.out, system, seed, texts) for part, (texts, _) in parts.items()
        }
        for seed in seeds
        for system in arguments.systems
    }

    def result(averaged, **keys):
        """Return what experiments/today.json has of lists of runs, each of which is averaged."""
        own = sorted({seed for runs in averaged for _, seed in runs})
        return {key: scores(part, averaged) for key, part in keys.items()} | {"seeds": own}

    def scores(part, averaged):
        """Return mean and standard deviation over the lists."""
        gold = numpy.array(parts[part][1])
        each = [
            100 * (numpy.mean([found[run][part] for run in runs], 0).argmax(1) == gold).mean()
            for runs in averaged
        ]
        return [round(number, 2) for number in Spread.of(each) if number is not None]

    rows = {"average": [[(first, seed), (second, seed)] for seed in seeds]}
    if len(seeds) > 1:
        rows[f"two_{first}"] = [[(first, seed) for seed in seeds[:2]]]
    for name, averaged in rows.items():
        add(arguments.corpus, name, result(averaged, dev="dev", test="test"))
    if arguments.others is not None:
        rows |= {name: [[(name, seed)] for seed in seeds] for name in arguments.systems}
        for name, averaged in rows.items():
            add(f"{arguments.corpus}_others", name, result(averaged, test="others"))


def probabilities(out, system, seed, texts):
    """Return the probability of each class, in the order of their names. *Shape:* (texts, classes)"""
    archive = load_archive(out / f"runs/{system}-{seed}/model.tar.gz", cuda_device=DEVICE)
    predictor = Predictor.from_archive(archive)
    inputs = [
        dict(zip(("premise", "hypothesis"), text.split("\t")))
        if "\t" in text
        else {"words": text.split()}
        for text in texts
    ]
    outputs = []
    for start in range(0, len(texts), 128):
        outputs += predictor.predict_batch_json(inputs[start : start + 128])
    return numpy.array([[value for _, value in sorted(one["probabilities"].items())] for one in outputs])


def others(folder, known):
    """Return the sentences that are not among the known ones, with their labels."""
    lines = [
        (" ".join(line.split()), label)
        for label, name in enumerate(("neg", "pos"))
        for line in (folder / f"rt-polarity.{name}").read_text("latin-1").split("\n")
    ]
    return [*zip(*((text, label) for text, label in lines if text and letters(text) not in known))]


def letters(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


if __name__ == "__main__":
    main()
