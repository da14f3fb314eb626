"""
Train a tagger and an entity recogniser in spaCy with each encoder, and print a table in Markdown.

    OMP_NUM_THREADS=1 python experiments/spacy_encoder.py --tags DATA/pos --entities DATA/ner

DATA/pos holds the EWT corpus, en_ewt-ud-{train,dev,test}.conllu, of which every fifth training sentence
is used (PTB tags). DATA/ner holds WNUT-17, wnut17.{train,dev,test}.conll. Everything but the encoder is
the same: embeddings, width, optimizer, batches, steps. Of each training, the evaluation that is best on
dev gives the weights for test. `--speed` measures words per second of CPU time instead.
`--output FILE` gets a line of JSON after each training; trainings that it already has are not repeated.
"""

import argparse
import json
import tempfile
import time
from pathlib import Path
from statistics import mean

import spacy
from spacy.cli.train import train
from spacy.language import DEFAULT_CONFIG_PATH
from spacy.tokens import Doc, DocBin
from spacy.training import Corpus
from spacy.training.batchers import minibatch_by_words
from spacy.util import load_config, load_model_from_config

import slstm_allennlp.spacy_encoder  # noqa: F401  (registers slstm.Encoder.v1, also where not installed)

WIDTH = 96
ENCODERS = {
    "spaCy's CNN": {
        "@architectures": "spacy.MaxoutWindowEncoder.v2",
        "depth": 4,
        "window_size": 1,
        "maxout_pieces": 3,
    },
    "spaCy's BiLSTM": {"@architectures": "spacy.TorchBiLSTMEncoder.v1", "depth": 2, "dropout": 0.1},
    "S-LSTM, `paper`": {"@architectures": "slstm.Encoder.v1", "depth": 7, "dropout": 0.1},
    "S-LSTM, `balanced`": {
        "@architectures": "slstm.Encoder.v1",
        "depth": 7,
        "dropout": 0.1,
        "transition": "balanced",
    },
}
COMPONENTS = {"tags": "tagger", "entities": "ner"}
SCORES = {"tags": "tag_acc", "entities": "ents_f"}


def config(task, encoder, folder, seed, steps):
    """Return spaCy's training config."""
    tok2vec = {
        "@architectures": "spacy.Tok2Vec.v2",
        "embed": {
            "@architectures": "spacy.MultiHashEmbed.v2",
            "width": WIDTH,
            "attrs": ["NORM", "PREFIX", "SUFFIX", "SHAPE"],
            "rows": [5000, 1000, 2500, 2500],
            "include_static_vectors": False,
        },
        "encode": {**ENCODERS[encoder], "width": WIDTH},
    }
    model = {
        "tags": {"@architectures": "spacy.Tagger.v2"},
        "entities": {
            "@architectures": "spacy.TransitionBasedParser.v2",
            "state_type": "ner",
            "extra_state_tokens": False,
            "hidden_width": 64,
            "maxout_pieces": 2,
            "use_upper": True,
        },
    }[task]
    name = COMPONENTS[task]

    def corpus(part):
        return {"@readers": "spacy.Corpus.v1", "path": str(folder / f"{task}.{part}.spacy")}

    return load_config(DEFAULT_CONFIG_PATH).merge(
        {
            "nlp": {"lang": "en", "pipeline": [name]},
            "components": {name: {"factory": name, "model": {**model, "tok2vec": tok2vec}}},
            "corpora": {"train": corpus("train"), "dev": corpus("dev")},
            "training": {
                "seed": seed,
                "max_steps": steps,
                "patience": 0,
                "eval_frequency": steps // 5,
                "batcher": {
                    "@batchers": "spacy.batch_by_words.v1",
                    "size": 500,
                    "tolerance": 0.2,
                    "discard_oversize": False,
                },
            },
        }
    )


def tagged(path):
    """Yield the words and PTB tags of each sentence of a CoNLL-U file."""
    for block in path.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if not line.startswith("#")]
        rows = [row for row in rows if row[0].isdigit()]  # 1-2 is a multiword token, 1.1 an empty node
        yield [row[1] for row in rows], {"tags": [row[4] for row in rows]}


def with_entities(path):
    """Yield the words and IOB2 tags of each sentence of a file with two columns."""
    words, tags = [], []
    for line in [*path.read_text(encoding="utf-8").split("\n"), ""]:
        if line.strip():
            word, tag = line.split("\t")
            words.append(word)
            tags.append(tag)
        elif words:
            yield words, {"ents": tags}
            words, tags = [], []


def convert(arguments, folder):
    """Write the corpora as spaCy reads them."""
    vocab = spacy.blank("en").vocab
    for part in ("train", "dev", "test"):
        sentences = {
            "tags": list(tagged(arguments.tags / f"en_ewt-ud-{part}.conllu")),
            "entities": list(with_entities(arguments.entities / f"wnut17.{part}.conll")),
        }
        if part == "train":
            sentences["tags"] = sentences["tags"][::5]
        for task, those in sentences.items():
            docs = [Doc(vocab, words=words, **gold) for words, gold in those]
            DocBin(docs=docs).to_disk(folder / f"{task}.{part}.spacy")
            print(f"{task}, {part}: {len(docs)} sentences, {sum(map(len, docs))} words", flush=True)


def measure(task, encoder, seed, steps, folder):
    """Train and test once. Return accuracy or F1 in per cent, and CPU seconds of the training."""
    path = folder / "config.cfg"
    config(task, encoder, folder, seed, steps).to_disk(path)
    start = time.process_time()
    train(path, folder / "out")
    training = time.process_time() - start
    nlp = spacy.load(folder / "out/model-best")
    scores = nlp.evaluate(list(Corpus(folder / f"{task}.test.spacy")(nlp)))
    return {
        "task": task,
        "encoder": encoder,
        "seed": seed,
        "steps": steps,
        "dev": 100 * nlp.meta["performance"][SCORES[task]],
        "test": 100 * scores[SCORES[task]],
        "training": training,
    }


def speeds(folder, rounds=5):
    """Yield sizes and speeds of the untrained pipelines, in words per second of CPU time."""
    pipelines = {}
    for key in ((task, encoder) for task in COMPONENTS for encoder in ENCODERS):
        nlp = load_model_from_config(config(*key, folder, seed=1, steps=5), auto_fill=True)
        examples = list(Corpus(folder / f"{key[0]}.test.spacy")(nlp))
        nlp.initialize(lambda examples=examples: examples)
        pipelines[key] = nlp, examples[:1000]
    fastest = {key: [0.0, 0.0] for key in pipelines}
    for _ in range(rounds):  # they alternate, so that other processes disturb all of them alike
        for key, (nlp, examples) in pipelines.items():
            docs = [example.predicted.copy() for example in examples]
            batches = list(minibatch_by_words(examples[:300], size=500))
            optimizer = nlp.create_optimizer()
            times = [time.process_time()]
            list(nlp.pipe(docs))
            times.append(time.process_time())
            for batch in batches:
                nlp.update(batch, sgd=optimizer)
            times.append(time.process_time())
            predicting = sum(map(len, docs)) / (times[1] - times[0])
            training = sum(map(len, examples[:300])) / (times[2] - times[1])
            fastest[key] = [max(pair) for pair in zip(fastest[key], (predicting, training))]
    for (task, encoder), (predicting, training) in fastest.items():
        layers = pipelines[task, encoder][0].get_pipe(COMPONENTS[task]).model.walk()
        encode = next(layer.get_ref("encode") for layer in layers if layer.has_ref("encode"))
        yield task, encoder, predicting, training, weights(encode)


def weights(layer):
    """Count the weights of a thinc layer, and of the torch modules in it."""
    own = sum(node.get_param(name).size for node in layer.walk() for name in node.param_names)
    modules = [shim._model for node in layer.walk() for shim in node.shims]
    return own + sum(part.numel() for module in modules for part in module.parameters())


def table(results):
    """Return a table in Markdown: means over seeds, and the smallest and largest."""
    lines = ["| | encoder | seeds | dev | test | training, CPU seconds |", "|---|---|---|---|---|---|"]
    for task in COMPONENTS:
        for encoder in ENCODERS:
            those = [line for line in results if (line["task"], line["encoder"]) == (task, encoder)]
            if those:
                dev, test, seconds = (
                    [line[key] for line in those] for key in ("dev", "test", "training")
                )
                lines.append(
                    f"| {task} | {encoder} | {len(those)} | {mean(dev):.1f} "
                    f"| {mean(test):.1f} ({min(test):.1f} to {max(test):.1f}) | {mean(seconds):.0f} |"
                )
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.strip().split("\n")[0])
    parser.add_argument("--tags", type=Path, required=True, help="folder of EWT")
    parser.add_argument("--entities", type=Path, required=True, help="folder of WNUT-17")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--steps", type=int, default=800, help="batches of some 500 words")
    parser.add_argument("--output", type=Path, default=Path("spacy_encoder.jsonl"))
    parser.add_argument("--speed", action="store_true", help="measure speeds only, without training")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        convert(arguments, Path(name))
        if arguments.speed:
            print("| | encoder | predicts, words/s | trains, words/s | weights |\n|---|---|---|---|---|")
            for task, encoder, predicting, training, size in speeds(Path(name)):
                print(f"| {task} | {encoder} | {predicting:,.0f} | {training:,.0f} | {size:,} |")
            return
        arguments.output.touch()
        results = [json.loads(line) for line in arguments.output.read_text().splitlines()]
        done = {(line["task"], line["encoder"], line["seed"]) for line in results}
        for seed in map(int, arguments.seeds.split(",")):
            for task in COMPONENTS:
                for encoder in ENCODERS:
                    if (task, encoder, seed) in done:
                        continue
                    results.append(measure(task, encoder, seed, arguments.steps, Path(name)))
                    with arguments.output.open("a") as file:
                        file.write(json.dumps(results[-1]) + "\n")
    print(f"spaCy {spacy.__version__}")
    print(table(results))


if __name__ == "__main__":
    main()
