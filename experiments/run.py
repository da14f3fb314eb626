"""
Trains and evaluates the systems of RESULTS.md on real corpora, each with several seeds:

    python experiments/run.py TASK DATA OUT [--systems NAME ...] [--seeds N ...] [--overrides JSON]

TASK is mr, ner, pos, sick, mrpc, sst2, sst5, or the name of a review dataset, such as books; DATA the
folder of its files (see `DATA_PATHS`). Each run gets a folder OUT/SYSTEM-SEED; one that holds
metrics.json is not run again.
`python experiments/summarize.py OUT` makes a table of them.
"""

import argparse
import json
import pathlib
import subprocess
import sys
from typing import Any, Dict, List

CLASSIFIER_WORDS, TAGGER_WORDS = 64, 100  # the word vectors' sizes; the paper has 300
CHARACTERS = 50  # what the taggers add to them
FASTNLP = {"transition": "fastnlp"}
RELEASED = {"transition": "released"}
SOFTMAX = {"transition": {"gate_normalization": "softmax"}}  # the paper's without the sigmoid before

# Encoders of about the same number of weights, 168 thousand for classification and 445 thousand for
# tagging (but 147 thousand for `released` in classification, since its size is that of the words). Name:
# the config's name, and what is set in the encoder for classification, for tagging.
SYSTEMS: Dict[str, List[Any]] = {
    "slstm": ["slstm", {"hidden_size": 64}, {"hidden_size": 100}],
    "fastnlp": ["slstm", {"hidden_size": 69, **FASTNLP}, {"hidden_size": 112, **FASTNLP}],
    "released": ["slstm", {"hidden_size": 64, **RELEASED}, {"hidden_size": 109, **RELEASED}],
    "softmax": ["slstm", {"hidden_size": 64, **SOFTMAX}, {"hidden_size": 100, **SOFTMAX}],
    "bilstm": ["bilstm", {"hidden_size": 116}, {"hidden_size": 172}],
    "bilstm2": ["bilstm", {"hidden_size": 65, "num_layers": 2}, {"hidden_size": 100, "num_layers": 2}],
    "coupled": ["coupled_lstm", {"hidden_size": 116}, {"hidden_size": 172}],
    "cnn": ["cnn", {"hidden_size": 152, "num_layers": 3}, {"hidden_size": 237, "num_layers": 3}],
    "slstm_attention": ["slstm_attention", {"hidden_size": 63}, None],
    "fastnlp_attention": ["slstm_attention", {"hidden_size": 68, **FASTNLP}, None],
    "bilstm_attention": ["bilstm_attention", {"hidden_size": 100}, None],
}
# The systems of the CAS-LSTM paper for pairs and for the Sentiment Treebank, all of 100 units over words
# of 100 numbers: the config's name and what is set in the encoder.
UNITS = 100
TWO, THREE = {"num_layers": 2}, {"num_layers": 3}
BOTH = {"bidirectional": True}
CAS_SYSTEMS: Dict[str, List[Any]] = {
    "lstm": ["lstm", TWO],
    "lstm3": ["lstm", THREE],
    "bilstm": ["lstm", {**TWO, **BOTH}],
    "bilstm3": ["lstm", {**THREE, **BOTH}],
    "cas": ["cas_lstm", TWO],
    "cas3": ["cas_lstm", THREE],
    "bicas": ["cas_lstm", {**TWO, **BOTH}],
    "bicas3": ["cas_lstm", {**THREE, **BOTH}],
    "slstm": ["slstm", {}],
    # Table 6, of the three layers in two directions.
    "lambda025": ["cas_lstm", {**THREE, **BOTH, "fusion": 0.25}],
    "lambda075": ["cas_lstm", {**THREE, **BOTH, "fusion": 0.75}],
    "trainable": ["cas_lstm", {**THREE, **BOTH, "fusion": "trainable"}],
    "sum": ["cas_lstm", {**THREE, **BOTH, "fusion": "sum"}],
    "peephole": ["cas_lstm", {**THREE, **BOTH, "fusion": "peephole"}],
}
CAS_CONFIGS = {"sick": "snli", "mrpc": "quora", "sst2": "sst2", "sst5": "sst5"}
SST = ("{data}/train.txt", "{data}/dev.txt", "{data}/test.txt")
DATA_PATHS = {
    "sick": ("{data}/sick.train.jsonl", "{data}/sick.dev.jsonl", "{data}/sick.test.jsonl"),
    "mrpc": ("{data}/mrpc.train.tsv", "{data}/mrpc.dev.tsv", "{data}/mrpc.test.tsv"),
    "sst2": SST,
    "sst5": SST,
    "mr": ("{data}#train", "{data}#dev", "{data}#test"),
    "review": ("{data}#train", "{data}#dev", "{data}#test"),
    "ner": ("{data}/wnut17.train.conll", "{data}/wnut17.dev.conll", "{data}/wnut17.test.conll"),
    "pos": (
        "{data}/en_ewt-ud-train.conllu",
        "{data}/en_ewt-ud-dev.conllu",
        "{data}/en_ewt-ud-test.conllu",
    ),
}


def overrides(task: str, system: str, data: str) -> Dict[str, Any]:
    """What differs from the config: the corpus and the sizes."""
    kind = task if task in DATA_PATHS else "review"
    paths = [path.format(data=data) for path in DATA_PATHS[kind]]
    result: Dict[str, Any] = dict(
        zip(("train_data_path", "validation_data_path", "test_data_path"), paths)
    )
    if task in CAS_CONFIGS:
        return {**result, **cas_overrides(task, *CAS_SYSTEMS[system])}
    is_classifier = kind in ("mr", "review")
    words = CLASSIFIER_WORDS if is_classifier else TAGGER_WORDS
    result["model.text_field_embedder.token_embedders.tokens.embedding_dim"] = words
    _, classifier, tagger = SYSTEMS[system]
    if is_classifier:
        result["model.seq2seq_encoder.input_dim"] = words
        encoder = "model.seq2vec_encoder"
        if system.endswith("_attention"):
            directions = 2 if system.startswith("bilstm") else 1
            size = directions * classifier["hidden_size"]
            result[f"{encoder}.seq2vec_encoder.input_size"] = size
            encoder += ".seq2seq_encoder"
        result.update({f"{encoder}.{key}": value for key, value in classifier.items()})
        result[f"{encoder}.input_size"] = words
        if kind == "review":
            result["dataset_reader.dataset"] = task
        return result
    size = words + CHARACTERS
    if kind == "ner":
        result["dataset_reader.coding_scheme"] = "IOB2"
    if system == "cnn":
        result["model.encoder"] = {"type": "stacked_cnn", "input_size": size, **tagger}
    elif system == "released":  # takes its words as its first states, so they have to be of its size
        h = tagger["hidden_size"]
        linear = {"input_dim": size, "num_layers": 1, "hidden_dims": h, "activations": "linear"}
        steps = 9 if kind == "ner" else 7
        slstm = {"type": "slstm", "input_size": h, "num_steps": steps, **tagger}
        projection = {"type": "feedforward", "feedforward": linear}
        result["model.encoder"] = {"type": "compose", "encoders": [projection, slstm]}
    else:
        result["model.encoder.input_size"] = size
        result.update({f"model.encoder.{key}": value for key, value in tagger.items()})
    return result


def cas_overrides(task: str, config_name: str, settings: Dict[str, Any]) -> Dict[str, Any]:
    """The sizes of a system of the CAS-LSTM paper."""
    size = UNITS * (2 if settings.get("bidirectional") else 1)
    encoder = "model.seq2vec_encoder"
    result: Dict[str, Any] = {
        "model.text_field_embedder.token_embedders.tokens.embedding_dim": UNITS,
        "model.feedforward.hidden_dims": UNITS if task.startswith("sst") else 2 * UNITS,
    }
    if task.startswith("sst"):
        result["model.seq2seq_encoder.input_dim"] = UNITS
        result["model.feedforward.input_dim"] = size
    if config_name == "lstm":
        result[f"{encoder}.seq2vec_encoder.embedding_dim"] = size
        encoder += ".seq2seq_encoder"
    for key, value in {"input_size": UNITS, "hidden_size": UNITS, **settings}.items():
        result[f"{encoder}.{key}"] = value
    return result


def config(task: str, system: str) -> str:
    if task in CAS_CONFIGS:
        return f"training_config/{CAS_CONFIGS[task]}_{CAS_SYSTEMS[system][0]}.jsonnet"
    name = SYSTEMS[system][0]
    if task in ("ner", "pos"):
        # The paper has no tagger with a CNN.
        return f"training_config/{task}_{'slstm' if name == 'cnn' else name}.jsonnet"
    return f"training_config/{'mr' if task == 'mr' else 'mtl'}_{name}.jsonnet"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("task")
    parser.add_argument("data")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--systems", nargs="+", choices=[*SYSTEMS, *CAS_SYSTEMS])
    parser.add_argument("--seeds", nargs="+", type=int, default=[13, 14, 15])
    parser.add_argument("--overrides", type=json.loads, default={}, help="more of them, as JSON")
    arguments = parser.parse_args()
    known = CAS_SYSTEMS if arguments.task in CAS_CONFIGS else SYSTEMS
    unknown = set(arguments.systems or []) - set(known)
    if unknown:
        parser.error(f"no {', '.join(unknown)} for {arguments.task}, expected of {', '.join(known)}")
    systems = arguments.systems or ["cas" if known is CAS_SYSTEMS else "slstm", "bilstm"]
    for seed in arguments.seeds:
        for system in systems:
            run = arguments.out / f"{system}-{seed}"
            if (run / "metrics.json").exists():
                continue
            settings = overrides(arguments.task, system, arguments.data)
            settings.update(dict.fromkeys(("random_seed", "numpy_seed", "pytorch_seed"), seed))
            settings.update(arguments.overrides)
            allennlp = pathlib.Path(sys.executable).with_name("allennlp")
            command = [allennlp, "train", config(arguments.task, system), "-s", run, "--force"]
            options = ["--include-package", "slstm_allennlp", "--file-friendly-logging"]
            subprocess.run([*command, *options, "--overrides", json.dumps(settings)], check=True)


if __name__ == "__main__":
    main()
