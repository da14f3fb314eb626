"""The command `slstm config`: list the configs that come with the package, or print one."""

import argparse
import json
import textwrap
from typing import Any, Dict, List

from slstm_cli.bundled import config_names, description, expect_config, whole_config

_WIDTH = 96
TASKS = {
    "Recipes, for few labels": ("reviews", "tags", "entities", "pairs"),
    "Texts with classes": ("mr", "mtl", "sst2", "sst5"),
    "Words with tags": ("pos", "ptb"),
    "Entities": ("ner",),
    "Pairs of sentences": ("snli", "mnli", "quora"),
    "Translation": ("translation", "iwslt14"),
}
"""The configs by the first part of their names, as `slstm config` lists them."""
EXPLANATIONS = {
    "dataset_reader": "How the files below are read.",
    "validation_dataset_reader": "How the validation and test files are read, if differently.",
    "train_data_path": "Your own data: `slstm train` with --data FILE, or your paths here. Without "
    "test_data_path, remove evaluate_on_test, too.",
    "evaluate_on_test": "After training, the best model is evaluated on the test data.",
    "vocabulary": "Which words get their own vector. All others share one.",
    "model": "The network.",
    "model.text_field_embedder": "Maps each word to a vector.",
    "model.source_text_embedder": "Maps each word to a vector.",
    "model.encoder": "The encoder: replace it here. It reads the embedder's vectors.",
    "model.seq2seq_encoder": "Dropout on the word vectors, before the encoder.",
    "model.seq2vec_encoder": "The encoder: replace it here. It maps a text to one vector.",
    "model.classifier": "The network that contains the encoder.",
    "model.linear": "A linear model over counts of words and word pairs. Its probabilities are "
    "multiplied with those of the network.",
    "model.feedforward": "Layers after the encoder. An input_dim would be the encoder's output size.",
    "model.decoder": "Generates the translation word by word.",
    "data_loader": "The batches. Texts of similar length are in the same batch.",
    "trainer": "How the network is trained.",
    "trainer.optimizer": "The optimizer; lr is the learning rate.",
    "trainer.learning_rate_scheduler": "How the learning rate decreases.",
    "trainer.patience": "Training ends after this number of epochs without a better validation_metric.",
    "trainer.validation_metric": "Selects the best epoch; + means that higher is better.",
}
_TEXTS = (
    'For lines such as {"text": "a text", "label": "a class"}, write "type": "text_classification_json" '
    'and "tokenizer": {"type": "spacy_blank"}, and keep only token_indexers.'
)
FILES = {
    "movie_review": "FOLDER#train, FOLDER#dev and FOLDER#test of a folder with rt-polarity.pos and "
    f"rt-polarity.neg. {_TEXTS}",
    "review": "FOLDER#train, FOLDER#dev and FOLDER#test of a folder with NAME.task.train and "
    f"NAME.task.test. {_TEXTS}",
    "sst_tokens": f"One bracketed tree per line. {_TEXTS}",
    "tagged_text": 'CoNLL-U files. For one word and its tag per line, write "format": "columns".',
    "penn_treebank_pos": "FOLDER#train, FOLDER#dev and FOLDER#test of the Penn Treebank's .pos files. "
    'For one word and its tag per line, write "type": "tagged_text", "format": "columns".',
    "conll_ner": "One word per line: the word first, its tag last, blank lines between sentences. "
    "coding_scheme is IOB1, IOB2 or BIOES.",
    "snli": 'Lines such as {"sentence1": "a text", "sentence2": "another", "gold_label": "neutral"}.',
    "quora_paraphrase": "Lines with four columns, tabs between: 0 or 1, a text, another text, a number.",
    "seq2seq": "Lines with two columns, a tab between: source and target, spaces between words.",
    "parallel_text": "Two files with the same number of lines, NAME.{de,en}: the source and the target.",
}


def add_config_command(commands: "argparse._SubParsersAction[Any]") -> argparse.ArgumentParser:
    text = "List the configs that come with slstm-allennlp, or print one to save and edit."
    parser = commands.add_parser("config", description=text, help="List or print configs.")
    parser.add_argument("name", nargs="?", help="the config to print; all are listed without it")
    parser.set_defaults(func=config)
    return parser


def config(arguments: argparse.Namespace) -> None:
    if arguments.name is None:
        width = max(map(len, config_names()))
        for task, corpora in TASKS.items():
            print(f"{task}:")
            for corpus in corpora:
                names = [name for name in config_names() if name.split("_")[0] == corpus]
                # The recipe comes before those that replace its encoder, and what to compare it with.
                for name in sorted(names, key=lambda name: ": the recipe for " not in description(name)):
                    print(f"  {name:{width}}  {description(name)}")
        return
    expect_config(arguments.name, f"there is no config {arguments.name!r}")
    print(annotated(arguments.name))


def annotated(name: str) -> str:
    """Return the config as Jsonnet, with a comment before each part."""
    content = whole_config(name)
    usage = "Save it as mine.jsonnet in any folder. To train it: slstm train mine.jsonnet"
    return "\n".join([*_comment(f"{description(name)} {usage}", ""), _object(content, "", "")])


def _comment(text: str, indent: str) -> List[str]:
    start = f"{indent}// "
    return textwrap.wrap(
        text, _WIDTH, initial_indent=start, subsequent_indent=start, break_on_hyphens=False
    )


def _path_in_model(path: str) -> str:
    """Return the path without `classifier`, for a model that contains a classifier."""
    return path.replace("model.classifier.", "model.")


def _object(content: Dict[str, Any], path: str, indent: str) -> str:
    lines, inner = ["{"], indent + "  "
    for key, value in content.items():
        key_path = f"{path}{key}"
        lines += _comment(_explanation(key_path, value), inner)
        lines.append(f"{inner}{json.dumps(key)}: {_value(value, key_path, inner)},")
    return "\n".join([*lines, f"{indent}}}"])


def _explanation(path: str, value: Any) -> str:
    explanation = EXPLANATIONS.get(_path_in_model(path), "")
    if path == "dataset_reader":
        explanation = f"{explanation} {FILES[value['type']]}"
    return explanation


def _value(value: Any, path: str, indent: str) -> str:
    """Format a value, on one line if it fits and no part of it has an explanation."""
    line = json.dumps(value, ensure_ascii=False)
    is_explained = any(known.startswith(_path_in_model(f"{path}.")) for known in EXPLANATIONS)
    is_long = len(line) + len(indent) >= _WIDTH - 20
    if isinstance(value, dict) and (is_explained or is_long):
        return _object(value, f"{path}.", indent)
    if isinstance(value, list) and is_long:
        inner = indent + "  "
        parts = [f"{inner}{_value(part, f'{path}[]', inner)}," for part in value]
        return "\n".join(["[", *parts, f"{indent}]"])
    return line
