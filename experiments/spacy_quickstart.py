"""
Train what spaCy's own quickstart proposes for a CPU, beside the recipes.

    OMP_NUM_THREADS=1 python experiments/spacy_quickstart.py DATA CORPUS... [--systems spacy]

CORPUS is a review set or `sst2` (the component `textcat`), `ewt` (`tagger`, PTB tags; the first 2,509
sentences, as the recipes), `ewt_whole` or `wnut17` (`ner`); DATA is its folder. Each is trained twice,
as `spacy init config` says: `spacy` with `--optimize efficiency`, `spacy_md` with `--optimize accuracy`
and the vectors of en_core_web_md (the better part of an hour). spaCy's trainer ends 1,600 steps after
the best on dev. Each result is added to experiments/today.json. Times are of the CPU, in seconds.
"""

import argparse
import pathlib
import tempfile
import time

import spacy
from spacy.cli.init_config import init_config
from spacy.cli.train import train
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus
from spacy_encoder import tagged, with_entities
from today import FIFTH, add, read

from slstm_allennlp.vectors.packages import place_of

TAGGER = ("tagger", "tag_acc")
COMPONENTS = {"ewt": TAGGER, "ewt_whole": TAGGER, "wnut17": ("ner", "ents_f")}
TEXTS = ("textcat", "cats_micro_f")  # with one label a text, the accuracy
OPTIMIZE = {"spacy": "efficiency", "spacy_md": "accuracy"}


def documents(data, corpus):
    """Return the documents of train, dev and test."""
    vocab, parts = spacy.blank("en").vocab, ("train", "dev", "test")
    if corpus.startswith("ewt"):
        found = [list(tagged(data / f"en_ewt-ud-{part}.conllu")) for part in parts]
        if corpus == "ewt":
            found[0] = found[0][:FIFTH]
    elif corpus == "wnut17":
        found = [with_entities(data / f"wnut17.{part}.conll") for part in parts]
    else:
        found = [
            [
                (text.split(), {"cats": {"0": 1.0 - label, "1": float(label)}})
                for text, label in zip(*part)
            ]
            for part in read(data, corpus)
        ]
    return [[document(vocab, words, **gold) for words, gold in part] for part in found]


def document(vocab, words, cats=None, **gold):
    doc = Doc(vocab, words=words, **gold)
    doc.cats = cats or {}
    return doc


def measure(system, data, corpus, seed, steps):
    component, score = COMPONENTS.get(corpus, TEXTS)
    config = init_config(lang="en", pipeline=[component], optimize=OPTIMIZE[system], gpu=False)
    config["training"].update(seed=seed, max_steps=steps)
    if system == "spacy_md":
        config["paths"]["vectors"] = str(next(place_of("en_core_web_md").glob("en_core_web_md-*")))
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for part, docs in zip(("train", "dev", "test"), documents(data, corpus)):
            DocBin(docs=docs).to_disk(folder / f"{part}.spacy")
        config["paths"].update(train=str(folder / "train.spacy"), dev=str(folder / "dev.spacy"))
        config.to_disk(folder / "config.cfg")
        start = time.process_time()
        train(folder / "config.cfg", folder / "out")
        seconds = time.process_time() - start
        nlp = spacy.load(folder / "out/model-best")
        scores = {}
        for part in ("dev", "test"):
            examples = list(Corpus(folder / f"{part}.spacy")(nlp))
            start = time.process_time()
            scores[part] = [round(100 * nlp.evaluate(examples)[score], 2)]
        speed = len(examples) / (time.process_time() - start)
    return {**scores, "seeds": [seed], "seconds": round(seconds), "texts_per_second": round(speed)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--systems", nargs="+", choices=OPTIMIZE, default=list(OPTIMIZE))
    parser.add_argument("--seed", type=int, default=13)
    parser.add_argument("--steps", type=int, default=20_000)
    given = parser.parse_args()
    for corpus in given.corpora:
        for system in given.systems:
            add(corpus, system, measure(system, given.data, corpus, given.seed, given.steps))


if __name__ == "__main__":
    main()
