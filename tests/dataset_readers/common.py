"""Helpers for the tests of the readers."""

from allennlp.common.util import END_SYMBOL, START_SYMBOL
from allennlp.data import DatasetReader
from allennlp.data.fields import LabelField, SequenceLabelField, TextField
from allennlp.data.tokenizers import CharacterTokenizer, WhitespaceTokenizer

# Tokenizers that need no download.
_WHITE = {"tokenizer": WhitespaceTokenizer()}
_OPTIONS = {
    "snli": _WHITE,
    "table": _WHITE,
    "text_classification_json": _WHITE,
    "seq2seq": {"source_tokenizer": WhitespaceTokenizer()},
    "parallel_text": {"source_tokenizer": WhitespaceTokenizer()},
}


# What is read by a reader of another name, with options, or from a file of another name.
FORMATS = {
    **{form: ("tagged_text", {"format": form}) for form in ("columns", "inline")},
    **{form: ("table", {"file": f"corpus.{form}"}) for form in ("csv", "tsv", "jsonl")},
    "penn_treebank_pos": ("penn_treebank_pos", {"file": "wsj_0001.pos", "part": "0"}),
}


def row(*columns):
    """Return a line of CoNLL-U."""
    return "\t".join([*columns, *"_" * (10 - len(columns))])


def pair(label="neutral", premise="a b", hypothesis="c d"):
    """Return an example of SNLI."""
    return {"gold_label": label, "sentence1": premise, "sentence2": hypothesis}


def reader_of(name, cls=None, **options):
    """Return our reader of this name, or that of another class, such as AllenNLP's."""
    return (cls or DatasetReader.by_name(name))(**{**_OPTIONS.get(name, {}), **options})


def contents(instances):
    """Return for each instance a dictionary from field names to tokens, label or metadata."""
    return [{name: _content(field) for name, field in instance.fields.items()} for instance in instances]


def _content(field):
    for attribute in ("tokens", "label", "metadata"):
        if hasattr(field, attribute):
            return getattr(field, attribute)
    raise TypeError(type(field))


def example_of(instance):
    """Return the words, tags and label of an instance by the names of their fields."""
    example = {}
    for name, field in instance.fields.items():
        if isinstance(field, TextField):
            example[name] = [token.text for token in field.tokens]
        elif isinstance(field, LabelField):
            example[name] = field.label
        elif isinstance(field, SequenceLabelField):
            example[name] = list(field.labels)
    return example


def values(instance):
    """Return the texts, tags and label of an instance, with a space between words and between tags."""
    marks = (START_SYMBOL, END_SYMBOL)
    return tuple(
        " ".join(word for word in value if word not in marks) if isinstance(value, list) else value
        for value in example_of(instance).values()
    )


class NoMarks(CharacterTokenizer):
    def tokenize(self, text):
        return [token for token in super().tokenize(text) if token.text.isalnum()]
