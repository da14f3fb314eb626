import pytest
from allennlp.data import Token, Vocabulary

from slstm_allennlp.dataset_readers import TaggedTextReader
from tests.dataset_readers.common import example_of


def row(*columns):
    return "\t".join([*columns, *"_" * (10 - len(columns))])


ROWS = [
    *(("1-2", "Don't"), ("1", "Do", "do", "AUX", "VB"), ("2", "n't", "not", "PART", "RB")),
    *(("2.1", "you", "you", "PRON", "PRP"), ("3", "New  York", "eat", "VERB", "VB")),
    ("4", "#", "#", "PUNCT", "."),
]
CONLLU = "\n".join(["# text = Don't eat.", *(row(*each) for each in ROWS), "", ""])
CONLLU += "\n" + row("1", "Où", "où", "ADV", "WRB") + "\n"
PLUS = "# global.columns = FORM LEMMA UPOS\n\na\tle\tDET\nb\tchat\tNOUN\n"
MARKED_PLUS = (
    "\ufeff# global.columns = ID UPOS FORM X\n# text = a b\n1\tDET\ta\t_\n2\tNOUN\t\ufeffb\t_\n"
)
TWO_WORDS = [("a b", "DET NOUN")]


@pytest.mark.parametrize(
    "column, content, expected",
    [
        ("xpos", CONLLU, [("Do n't New  York #", "VB RB VB ."), ("Où", "WRB")]),
        ("upos", CONLLU, [("Do n't New  York #", "AUX PART VERB PUNCT"), ("Où", "ADV")]),
        ("upos", PLUS, TWO_WORDS),
        ("upos", MARKED_PLUS, TWO_WORDS),
        ("upos", f"{row('1', 'a', '_', 'DET')}\n{row('2', 'b', '_', 'NOUN')}\n\n{PLUS}", TWO_WORDS * 2),
    ],
)
def test_conllu(read, column, content, expected):
    assert read("tagged_text", content, tag_column=column) == expected


ALL = "-DOCSTART- -X- O O\n\nThe DT\ndog\tNN\n\t\nNew York\tNNP\n\n\n-DOCSTART-\tO\nIt   PRP\nran  VBD"
EN = "en:a A\nen:b B\nen:: C\n"


@pytest.mark.parametrize(
    "options, content, expected",
    [
        ({}, ALL, [("The dog", "DT NN"), ("New York", "NNP"), ("It ran", "PRP VBD")]),
        # -DOCSTART- ends a sentence, and only it.
        ({}, "a A\n-DOCSTART- O\nb B\n-DOCSTART-ed C\n", [("a", "A"), ("b -DOCSTART-ed", "B C")]),
        # A no-break space does not end a column, and a line separator does not end a line.
        ({}, "a\u00a0b NN\nc\u2028d NN\n", [("a\u00a0b c\u2028d", "NN NN")]),
        ({}, "\ufeffa A \n\u3000 B\n\u00a0\tC\u00a0\n", [("a \u3000 \u00a0", "A B C")]),
        ({}, b"\xef\xbb\xbfa DT\r\nb NN\r\n", [("a b", "DT NN")]),
        ({}, "3 CD\n\n17 CD\n", [("3", "CD"), ("17", "CD")]),
        ({"word_column": 2}, "1 Ada X NNP\n2 ran X VBD\n", [("Ada ran", "NNP VBD")]),
        ({"tag_column": 2}, "Ada\tNNP\tX\nran\tVBD\tX\n", [("Ada ran", "NNP VBD")]),
        ({"word_column": 3, "tag_column": 1}, "A x a\nB x b\n", [("a b", "A B")]),
        ({"word_column": 1}, "1 CD\n2 CD\n", [("1 2", "CD CD")]),
        ({"word_prefix": "en:"}, EN, [("a b :", "A B C")]),
        ({"word_prefix": ""}, EN, [("en:a en:b en::", "A B C")]),
        ({"comment": "# "}, "# 5 = 6 7\na A\n# B\n", [("a #", "A B")]),
        # An underscore is a word.
        ({}, "_\tX\na\tX\n", [("_ a", "X X")]),
        ({}, "_\tX\n", [("_", "X")]),
        ({}, "a\tX\n_\tX\n_\tX\nb\tX\n", [("a _ _ b", "X X X X")]),
    ],
)
def test_columns(read, options, content, expected):
    assert read("tagged_text", content, format="columns", **options) == expected


@pytest.mark.parametrize(
    "separator, line, words, tags",
    [
        ("/", "The/DT dog/NN ./.", "The dog .", "DT NN ."),
        ("_", "The_DT snake_case_NN", "The snake_case", "DT NN"),
        ("/", r"1\/2/CD and\/or/CC", "1/2 and/or", "CD CC"),
        ("/", r"1/2/CD", "1/2", "CD"),
        ("/", "  a/DT \t b/NN  ", "a b", "DT NN"),
    ],
)
def test_inline(read, separator, line, words, tags):
    found = read("tagged_text", f"\n{line}\n\n", format="inline", separator=separator)
    assert found == [(words, tags)]


def test_text_to_instance():
    reader = TaggedTextReader()
    instance = reader.text_to_instance(["a", Token("b")])
    assert example_of(instance) == {"tokens": ["a", "b"]}
    assert instance["metadata"].metadata == {"words": ["a", "b"]}
    with pytest.raises(ValueError, match="tokens is empty"):
        reader.text_to_instance([])
    with pytest.raises(ValueError, match="1 tags for 2 tokens"):
        reader.text_to_instance(["a", "b"], ["DT"])


def test_namespace_of_the_labels():
    reader = TaggedTextReader(label_namespace="pos_labels")
    instance = reader.text_to_instance(["a"], ["DT"])
    reader.apply_token_indexers(instance)
    vocabulary = Vocabulary.from_instances([instance])
    assert vocabulary.get_token_index("DT", "pos_labels") == 0


def test_is_lazy_and_stops_at_max_instances(read, tmp_path):
    text = "a/DT\nb/NN\nbroken\n"
    assert len(read("tagged_text", text, format="inline", max_instances=2)) == 2
    instances = TaggedTextReader(format="inline").read(tmp_path / "corpus")
    assert example_of(next(instances))["tokens"] == ["a"]  # before the broken line is read


def test_no_held_out_sentence_was_seen_in_training():
    parts = (TaggedTextReader().read(f"fixtures/pos/{part}.conllu") for part in ("train", "dev", "test"))
    train, dev, test = ({tuple(example_of(one)["tokens"]) for one in part} for part in parts)
    assert not train & dev and not train & test and not dev & test
