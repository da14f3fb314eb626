import argparse
import json
import textwrap
from typing import Any, Dict

from allennlp.commands import Subcommand

from slstm_allennlp.console.bundled import config_names, description, expect_config, whole_config

_WIDTH = 96
EXPLANATIONS = {
    "dataset_reader": "How the files below are read.",
    "validation_dataset_reader": "How the validation and test files are read, if otherwise.",
    "train_data_path": "Your own data: put your files here. Without a test_data_path, remove "
    "evaluate_on_test, too.",
    "evaluate_on_test": "After training, the best model is evaluated on the test data.",
    "vocabulary": "Which words get a vector of their own; all others share one.",
    "model": "The network.",
    "model.text_field_embedder": "Makes a vector of each word.",
    "model.source_text_embedder": "Makes a vector of each word.",
    "model.encoder": "The encoder: exchange it here. It gets the embedder's vectors.",
    "model.seq2seq_encoder": "Before the encoder: dropout on the words' vectors.",
    "model.seq2vec_encoder": "The encoder: exchange it here. It makes one vector of a text.",
    "model.classifier": "The network with the encoder.",
    "model.linear": "A linear model over counts of words and pairs, which has a say of its own.",
    "model.feedforward": "Behind the encoder; an input_dim would be the encoder's output size.",
    "model.decoder": "Writes the translation, a word at a time.",
    "data_loader": "The batches: texts of about the same length together.",
    "trainer": "How the network is trained.",
    "trainer.optimizer": "The steps along the gradient; lr is the learning rate.",
    "trainer.learning_rate_scheduler": "How the learning rate falls.",
    "trainer.patience": "Epochs without a better validation_metric after which training ends.",
    "trainer.validation_metric": "By which the best epoch is told; + is for more is better.",
}
_TEXTS = (
    'For lines such as {"text": "a text", "label": "a class"}, write "type": "text_classification_json" '
    'and "tokenizer": {"type": "spacy_blank"}, and keep token_indexers alone.'
)
FILES = {
    "movie_review": "FOLDER#train, FOLDER#dev and FOLDER#test of a folder with rt-polarity.pos and "
    f"rt-polarity.neg. {_TEXTS}",
    "review": "FOLDER#train, FOLDER#dev and FOLDER#test of a folder with NAME.task.train and "
    f"NAME.task.test. {_TEXTS}",
    "sst_tokens": f"One bracketed tree a line. {_TEXTS}",
    "tagged_text": 'CoNLL-U files. For a word and its tag a line, write "format": "columns".',
    "penn_treebank_pos": "FOLDER#train, FOLDER#dev and FOLDER#test of the Penn Treebank's .pos files. "
    'For a word and its tag a line, write "type": "tagged_text", "format": "columns".',
    "conll_ner": "A word a line, first the word, last its tag, blank lines between sentences; "
    "coding_scheme is IOB1, IOB2 or BIOES.",
    "snli": 'Lines such as {"sentence1": "a text", "sentence2": "another", "gold_label": "neutral"}.',
    "quora_paraphrase": "Lines of four columns between tabs: 0 or 1, a text, another text, a number.",
    "seq2seq": "Lines of two columns between tabs: the source and the target, split by spaces.",
    "parallel_text": "Two files of as many lines, NAME.{de,en}: the source and the target.",
}


class Config(Subcommand):
    """
    Lists the configs that come with the package, or prints one, whole and with explanations, to be saved
    anywhere and edited. A command of `slstm` alone: `slstm config`, `slstm config mr_slstm`.
    """

    name = "config"  # type: ignore[assignment]
    requires_plugins = False

    def add_subparser(self, parser: argparse._SubParsersAction) -> argparse.ArgumentParser:
        text = "List the configs that come with slstm-allennlp, or print one to save and edit."
        subparser = parser.add_parser(self.name, description=text, help="List or print configs.")
        subparser.add_argument("name", nargs="?", help="the config to print; all are listed without it")
        subparser.set_defaults(func=config)
        return subparser


def config(arguments: argparse.Namespace) -> None:
    """What the command does, on the standard output."""
    if arguments.name is None:
        names = config_names()
        width = max(map(len, names))
        for name in names:
            print(f"{name:{width}}  {description(name)}")
        return
    expect_config(arguments.name, f"there is no config {arguments.name!r}")
    print(annotated(arguments.name))


def annotated(name: str) -> str:
    """The config as Jsonnet, with a comment before each part."""
    content = whole_config(name)
    head = [
        description(name),
        "Save it as mine.jsonnet, in any folder; this trains it: slstm train mine.jsonnet",
    ]
    comments = [
        f"// {line}" for line in textwrap.wrap(" ".join(head), _WIDTH - 3, break_on_hyphens=False)
    ]
    return "\n".join([*comments, _object(content, "", "")])


def _in_model(path: str) -> str:
    """The path of a part of a classifier that is itself a part of the model."""
    return path.replace("model.classifier.", "model.")


def _object(content: Dict[str, Any], path: str, indent: str) -> str:
    lines = ["{"]
    for key, value in content.items():
        inner = indent + "  "
        key_path = f"{path}{key}"
        lines += [
            f"{inner}// {line}"
            for line in textwrap.wrap(
                _comment(key_path, value), _WIDTH - len(inner) - 3, break_on_hyphens=False
            )
        ]
        lines.append(f"{inner}{json.dumps(key)}: {_value(value, key_path, inner)},")
    return "\n".join([*lines, f"{indent}}}"])


def _comment(path: str, value: Any) -> str:
    explanation = EXPLANATIONS.get(_in_model(path), "")
    if path == "dataset_reader":
        explanation = f"{explanation} {FILES[value['type']]}"
    return explanation


def _value(value: Any, path: str, indent: str) -> str:
    """On one line where it fits and nothing in it is explained."""
    line = json.dumps(value, ensure_ascii=False)
    is_explained = any(known.startswith(_in_model(f"{path}.")) for known in EXPLANATIONS)
    is_long = len(line) + len(indent) >= _WIDTH - 20
    if isinstance(value, dict) and (is_explained or is_long):
        return _object(value, f"{path}.", indent)
    if isinstance(value, list) and is_long:
        inner = indent + "  "
        parts = [f"{inner}{_value(part, f'{path}[]', inner)}," for part in value]
        return "\n".join(["[", *parts, f"{indent}]"])
    return line
