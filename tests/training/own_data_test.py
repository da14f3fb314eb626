"""A user's data files in a bundled config."""

import json
import os
import re

import pytest
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.data import DatasetReader

from slstm_allennlp.training.own_data import with_data
from slstm_cli.bundled import config_names, whole_config

ROWS = [(f"text {n}", ("negative", "positive")[n % 2]) for n in range(400)]
PAIRS = [{"premise": f"a {n}", "hypothesis": "b", "label": f"{n % 3}"} for n in range(60)]
PAIRS = "\n".join(map(json.dumps, PAIRS))
TABLE = {"type": "table"}
SJIS = {"encoding": "shift_jis"}
IN_SJIS = {"overrides": {"dataset_reader.encoding": "shift_jis"}}
COLUMNS = "".join(f"Ada\tB-PER\nReyes\tI-PER\nsees{n}\tO\n\n" for n in range(60))


PLUS = "# global.columns = FORM LEMMA UPOS\n"


TREEBANK = "1\ta{}\t_\tX\tA\t_\t0\troot\t_\t_\n2\tb\t_\tX\tB\t_\t1\tx\t_\t_\n\n"


def numbered(sentence):
    return "".join(sentence.format(n) for n in range(20))


GERMEVAL = numbered(
    "#\thttp://x/i\t[2009]\n1\tAda_{}\tB-PER\tO\n2\tof\tI-PER\tO\n3\tBonn\tI-PER\tB-LOC\n\n"
)


def csv(rows, header="text,label", comma=","):
    lines = [header, *(comma.join(map(str, row)) for row in rows)]
    return "\n".join(lines).replace(",", comma) + "\n"


def paths_of(config):
    return [config[f"{part}_data_path"] for part in ("train", "validation", "test")]


@pytest.fixture
def put(tmp_path, monkeypatch):
    """Put files into a folder, and the data `all.*` of them into a config."""
    monkeypatch.chdir(tmp_path)

    def get(config, name, content, **options):
        for file, text in {name: content, **options.pop("files", {})}.items():
            (tmp_path / file).write_bytes(text.encode() if isinstance(text, str) else text)
        return with_data(whole_config(config), name, **options)

    return get


@pytest.mark.parametrize(
    "config, name, content, options, reader, said",
    [
        ("reviews_slstm", "all.csv", csv(ROWS), {}, TABLE,
            "all.csv: 400 texts, 2 classes: 200 negative, 200 positive; train 320, dev 40, test 40"),
        ("mr_linear", "all.csv", "\ufeff" + csv(ROWS, "Review;Sentiment", ";"), {}, TABLE,
            "all.csv: the columns Review, Sentiment are read"),
        ("sst5_lstm", "all.tsv", csv(ROWS, comma="\t"), {}, TABLE, "400 texts"),
        ("mr_slstm", "all.tsv", csv(ROWS, comma="\t").replace("\n", "\n\n", 9), {}, TABLE, "400 texts"),
        ("mtl_cnn", "all.csv", csv(ROWS) + '"a,\n""b""",x\n', {}, TABLE, "401 texts, 3 classes: .*1 x"),
        ("mr_slstm", "all.csv", csv(ROWS, "body,stars"), {"text": ["body"], "label": "stars"},
            {"type": "table", "text": "body", "label": "stars"}, "400 texts, 2 classes"),
        ("mr_slstm", "all.csv", csv(ROWS, comma=";").partition("\n")[2],
            {"overrides": {"dataset_reader.columns": ["text", "label"]}}, TABLE, "400 texts, 2 classes"),
        ("mr_slstm", "all.txt", csv(ROWS, "Kommentar,Note", "\t") + "\n\na\tpositive\n",
            {"text": ["Kommentar"], "label": "Note"}, {"text": "Kommentar"}, "401 texts, 2 classes"),
        ("pos_slstm", "all.txt", numbered("1 a DT\n2 {} NN\n\n"), {"text": ["2"]}, {"word_column": 2},
            "20 sentences"),
        ("ptb_slstm", "all.txt", numbered("a/DT {}/NN\n\n"),
            {"overrides": {"dataset_reader.encoding": "utf-8"}}, {"format": "inline"}, "20 sentences"),
        ("ptb_slstm", "all.txt", numbered("1\\/2/CD {}\\/3/NN\n\n"), {}, {"format": "inline"},
            "20 sentences, 40 words, 2 tags"),
        ("ner_linear", "all.txt", numbered("Ada{}\tS-PER\nsings\tO\n\n"), {}, {"coding_scheme": "BIOES"},
            "20 PER"),
        ("mr_slstm", "all!.csv", csv([(n, "-+"[n % 2]) for n in range(60)], "text,gold_label"), {},
            TABLE, r"60 texts, 2 classes: 30 \+, 30 -"),
        ("pairs_bilstm", "all.jsonl", PAIRS, {}, TABLE, "60 pairs, 3 classes: 20 0, 20 1, 20 2; train"),
        ("quora_linear", "all.csv", csv([(n, "b", n % 2) for n in range(60)], "x,y,label"),
            {"text": ["x", "y"]}, {"text_a": "x", "text_b": "y"}, "60 pairs, 2 classes: 30 0, 30 1"),
        ("tags_bilstm", "all.txt", COLUMNS, {}, {"type": "tagged_text", "format": "columns"},
            "60 sentences, 180 words, 3 tags: 60 B-PER, 60 I-PER, 60 O; train 48, dev 6"),
        ("ptb_slstm", "all.txt", numbered("a/DT {}/NN\n\n"), {}, {"format": "inline"}, "20 sentences, "),
        ("ptb_slstm", "all.txt", numbered("a_DT {}_NN\n\n"), {}, {"separator": "_"}, "20 sentences, "),
        ("pos_slstm", "all.txt", numbered("a|0 N|sg\n{}|0 N|pl\n\n"), {},
            {"format": "columns"}, "20 sentences, 40 words, 2 tags"),
        # The Brown corpus has a tab at the start of each line.
        ("ptb_slstm", "all.txt", numbered("\n\n\ta/dt {}/nn ./.\n"), {},
            {"format": "inline"}, "20 sentences, 60 words"),
        ("pos_slstm", "all.txt", numbered("a DT x\n{} NN y\n\n"), {"label": "2"},
            {"format": "columns", "tag_column": 2}, "20 sentences, 40 words, 2 tags: 20 DT, 20 NN"),
        ("entities_bilstm", "all.txt", COLUMNS, {}, {"type": "conll_ner", "coding_scheme": "IOB2"},
            "60 sentences, 180 words, 1 kind of entity: 60 PER; train 48, dev 6, test 6"),
        ("ner_slstm", "all.txt", COLUMNS.replace("B-", "I-"), {}, {"coding_scheme": "IOB1"}, "60 PER"),
        ("ner_slstm", "all.tsv", COLUMNS.replace("Ada", "# id\nAda"),
            {"overrides": {"dataset_reader.comment": "# "}}, {"comment": "# "}, "60 PER"),
        ("ner_linear", "all.txt", COLUMNS.replace("I-", "E-"), {}, {"coding_scheme": "BIOES"}, "60 PER"),
        ("ner_linear", "all.txt", COLUMNS.replace("I-", "L-"), {}, {"coding_scheme": "BIOES"}, "60 PER"),
        ("ner_slstm", "all.txt", COLUMNS.replace("Ada", "Zoë").encode("latin-1"),
            {"overrides": {"dataset_reader.encoding": "latin-1"}}, {"encoding": "latin-1"}, "60 PER"),
        ("mr_slstm", "all.txt", csv(ROWS, comma="\t").replace("text ", "ë ").encode("latin-1"),
            {"overrides": {"dataset_reader.encoding": "latin-1"}}, {"encoding": "latin-1"}, "400 texts"),
        ("mr_slstm", "all.txt", csv(ROWS, comma="\t").replace("text ", "この映画、").encode("shift_jis"),
            IN_SJIS, SJIS, "400 texts"),
        ("ner_linear", "all.txt", COLUMNS.replace("Ada", "日、本").encode("shift_jis"),
            IN_SJIS, SJIS, "60 PER"),
        ("ner_linear", "all.tsv", GERMEVAL,
            {"text": ["2"], "overrides": {"dataset_reader.comment": "#\t"}},
            {"word_column": 2}, "all.tsv: words are read from column 2, tags from column 4"),
        ("pos_linear", "all.txt", numbered("The\tthe\tDT\tx\ndog{}\tdog\tNN\tx\n\n"),
            {"overrides": {"dataset_reader.tag_column": 3}}, {"tag_column": 3}, "2 tags: 20 DT, 20 NN"),
        ("pos_linear", "all.txt", numbered("#id 3 x y\na{} A\nb B\n\n"),
            {"overrides": {"dataset_reader.comment": "#id"}}, {"comment": "#id"}, "2 tags: 20 A, 20 B"),
        ("tags_bilstm", "all.conllu", numbered(TREEBANK), {}, {"format": "conllu"},
            "all.conllu: CoNLL-U, tags are read from the column xpos"),
        ("tags_bilstm", "all.conllup", PLUS + numbered("a\ta\tA\nb{}\tb\tB\n\n"), {},
            {"format": "conllu", "tag_column": "upos"}, "20 sentences, 40 words, 2 tags: 20 A, 20 B"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 20 else "",
)  # fmt: skip
def test_the_reader_and_what_was_found(put, caplog, config, name, content, options, reader, said):
    caplog.set_level("INFO")
    made = put(config, name, content, **options)
    assert made["dataset_reader"].items() >= {**reader, "split_seed": 0}.items()
    assert re.search(said, caplog.text)
    assert paths_of(made) == [f"{name}#train", f"{name}#dev", f"{name}#test"]
    assert made["model"] == whole_config(config)["model"] and made["evaluate_on_test"]


@pytest.mark.parametrize("xpos, options, column", [
    ("NN", {}, "xpos"), ("_", {}, "upos"), ("NN", {"label": "upos"}, "upos"),
])  # fmt: skip
def test_treebanks_have_tags_of_their_own_or_universal_ones(put, xpos, options, column):
    rows = [
        f"{n}\t{{0}}\ta\t{tag}\t{xpos}{tag if xpos != '_' else ''}" for n, tag in ((1, "A"), (2, "B"))
    ]
    rows.append("2.1\tnull\t_\tA\tX")  # an empty node, whose tags say nothing
    sentence = "# text = a a\n#newpar\n" + "".join(f"{row}\t_\t0\troot\t_\t_\n" for row in rows)
    made = put("tags_bilstm", "all.conllu", numbered(f"{sentence}\n"), **options)
    assert made["dataset_reader"]["format"] == "conllu"
    assert made["dataset_reader"]["tag_column"] == column


@pytest.mark.parametrize("config", config_names())
def test_every_config_of_one_corpus_takes_data(put, config):
    """The reader's instances have the fields that the model takes."""
    corpus = config.split("_")[0]
    if corpus in ("translation", "iwslt14"):
        with pytest.raises(ConfigurationError, match="the model is composed_seq2seq, expected one that"):
            put(config, "all.csv", csv(ROWS))
        return
    is_tagged = corpus in ("ptb", "pos", "tags", "ner", "entities")
    pairs = csv([(n, *row) for n, row in enumerate(ROWS)], "text_b,text_a,label")
    table = pairs if corpus in ("snli", "mnli", "quora", "pairs") else csv(ROWS)
    made = put(config, *(("all.txt", COLUMNS) if is_tagged else ("all.csv", table)))
    reader = DatasetReader.from_params(Params(dict(made["dataset_reader"])))
    assert "validation_dataset_reader" not in made  # it would read the user's files, too
    assert "num_epochs" not in made["trainer"] or not config.endswith("_linear")
    instance = next(iter(reader.read(made["train_data_path"])))
    assert ("tags" if is_tagged else "label") in instance.fields
    assert set(made["data_loader"]["batch_sampler"]["sorting_keys"]) <= set(instance.fields)


NUMBERS = [*((n, n // 2 * 0.5) for n in range(19)), (19, 8), (20, 9)]
FILES = {"dev.csv": csv(ROWS[:60]), "test.csv": csv(ROWS[:20])}


@pytest.mark.parametrize(
    "options, paths, epochs",
    [
        ({}, ["all.csv#train", "all.csv#dev", "all.csv#test"], 10),
        ({"dev": "dev.csv"}, ["all.csv", "dev.csv", None], 8),
        ({"test": "test.csv"}, ["all.csv#train+test", "all.csv#dev", "test.csv"], 9),
        ({"dev": "dev.csv", "test": "test.csv"}, ["all.csv", "dev.csv", "test.csv"], 8),
        ({"overrides": {"trainer.num_epochs": 3, "test_data_path": "test.csv"}},
            ["all.csv#train", "all.csv#dev", "test.csv"], 3),
        ({"overrides": {"dataset_reader.max_instances": 20}},
            ["all.csv#train", "all.csv#dev", "all.csv#test"], 160),
    ],
)  # fmt: skip
def test_parts_and_epochs(put, options, paths, epochs):
    made = put("reviews_slstm", "all.csv", csv(ROWS), files=FILES, **options)
    assert paths_of(made) == paths
    assert made["evaluate_on_test"] == (paths[2] is not None)
    assert made["trainer"]["num_epochs"] == epochs
    distributed = {**options.get("overrides", {}), "distributed": {"cuda_devices": [-1, -1]}}
    made = put(
        "reviews_slstm", "all.csv", csv(ROWS), files=FILES, **{**options, "overrides": distributed}
    )
    assert made["evaluate_on_test"] is False


def test_what_else_the_config_says_is_kept(put):
    put("mr_slstm", "all.csv", csv(ROWS))
    config, kept = whole_config("mr_slstm"), {"max_instances": 50, "label_namespace": "my_labels"}
    config["dataset_reader"].update(kept)
    assert with_data(config, "all.csv")["dataset_reader"].items() >= kept.items()
    # 48 sentences for training: more epochs, for 10,000 of them
    assert put("tags_bilstm", "all.txt", COLUMNS)["trainer"]["num_epochs"] == 209


@pytest.mark.parametrize(
    "config, name, content, options, message",
    [
        ("mr_slstm", "all.csv", "", {}, "all.csv: the file is empty"),
        ("mr_slstm", "all.csv", "text,label\n", {}, "all.csv: no text in the file, expected"),
        ("mr_slstm", "all.txt", " \n\n", {}, "all.txt: no text in the file, expected"),
        ("pairs_bilstm", "all.csv", csv([("a", "b", "-")] * 9, "premise,hypothesis,gold_label"), {},
            'all.csv: none of 9 pairs has a gold label, all have "-", expected others'),
        ("mr_slstm", "all.csv", csv(ROWS[:5]), {}, "all.csv: 5 different examples, expected at "),
        ("mr_slstm", "all.csv", csv([(n, "x") for n in range(20)]), {}, "1 class: 20 x, expected more"),
        ("mr_slstm", "all.csv", csv([(n, n) for n in range(20)]), {}, ": 20 classes in 20 texts, exp"),
        ("mr_slstm", "all.csv", csv([(n % 2, f"a good film {n}") for n in range(20)]), {},
            "expected classes with several examples each; are text and label swapped?"),
        ("mr_slstm", "all.csv", csv([("a", ""), *ROWS]), {}, 'line 2: label is "", expected a l'),
        ("pos_slstm", "all.txt", "".join(f"a{n} N\n" for n in range(120)), {},
            "all.txt: 120 words without a blank line between them, expected one after each sentence"),
        ("mr_slstm", "all.csv", csv(NUMBERS), {}, ", expected classes with several examples each, not "),

        ("mr_slstm", "all.csv", csv(ROWS, "body,stars"), {"text": ["bdy"]}, "'bdy', did you mean 'b"),

        ("mr_slstm", "all.csv", csv(ROWS, "text,stars"), {},
            "all.csv, line 1: the columns are text, stars, expected one for the labels, such as label"),
        ("mr_slstm", "all.csv", csv(ROWS), {"text": ["a", "b"]}, "text is a, b, expected 1 of the "),
        ("mr_slstm", "all.csv", csv(ROWS, "text_a,text_b"), {}, "of pairs, expected those of texts"),
        ("pairs_bilstm", "all.csv", csv(ROWS), {}, "those of texts, expected those of pairs"),
        ("mr_slstm", "all.txt", COLUMNS, {"text": ["1"]}, "all.txt, line 1: looks like a word and its"),
        ("mr_slstm", "all.txt", COLUMNS, {}, "all.txt, line 1: looks like a word and its tag per line"),
        ("tags_bilstm", "all.csv", csv(ROWS), {}, "all.csv: is a table, and the model tags words"),
        ("tags_bilstm", "all.txt", "a DT x\n\n", {}, "line 1: 3 columns, expected the number of that"),
        ("tags_bilstm", "all.txt", "a DT x\n\n", {"text": ["1"]}, "line 1: 3 columns, expected the num"),
        ("tags_bilstm", "all.txt", numbered("DT\ta{0}\nNN\tb{0}\n\n"), {}, "more different tags th"),
        ("tags_bilstm", "all.conllu", numbered(TREEBANK) + "1\ta\tX\n", {},
            "line 61: 3 columns between tabs, expected the 10 of CoNLL-U"),
        ("tags_bilstm", "all.conllu", numbered(TREEBANK.replace("A", "_").replace("B", "_")) + "1\ta\n",
            {}, "line 61: 2 columns between tabs, expected the 10 of CoNLL-U"),
        ("tags_bilstm", "all.conllu", numbered(TREEBANK) + "1\ta\t_\tX\tA\t_\t0\tr\t_\n", {},
            "line 61: 9 columns between tabs, expected the 10 of CoNLL-U"),
        ("tags_bilstm", "all.txt", numbered("a/DT {}/NN\n\n") + "a/DT x\n", {},
            "line 41: 'x' has no tag, expected word/TAG"),
        ("tags_bilstm", "all.txt", COLUMNS, {"text": ["2"], "label": "2"}, "are both 2, expected two c"),
        ("tags_bilstm", "all.txt", numbered("a/DT\n{}/NN\n\n"), {}, "line 1: each line has one word/TA"),
        ("ner_linear", "all.txt", numbered("Ada|NNP|B-PER {}|CD|O\n"), {}, "a tag is behind each word"),
        ("ner_linear", "all.txt", numbered("Ada/B-PER {}/O\n"), {}, "line 1: a tag is behind each word"),
        ("tags_bilstm", "all.txt", numbered("a/DT/x {}/NN/x\n"), {}, "every word has two '/' or more"),
        ("mr_slstm", "all.jsonl", '{"text": "a", "label": 1}\n{"text": "b", "category": 2}\n', {},
            "line 2: the columns text, category would be read here, and text, label before"),
        ("mr_slstm", "all.jsonl", '{"text": "a", "label": 1}\n{"text": "b"}\n', {},
            "line 2: label is missing, and the lines before have labels"),
        ("ner_linear", "all.txt", COLUMNS, {"overrides": {"dataset_reader.word_column": "1"}},
            "dataset_reader.word_column is '1', expected the number of a column"),
        ("tags_bilstm", "all.txt", COLUMNS, {"label": "tag"}, "label is 'tag', expected the number of"),

        ("ner_slstm", "all.txt", numbered("a O\n{} O\n\n"), {}, "all.txt: 0 kinds of entities: none"),
        ("mr_slstm", "all.csv", csv(ROWS), {"overrides": {"modle.dropout": 1}}, "overrides: overrides"),
    ],
    ids=lambda value: value if isinstance(value, str) and len(value) < 99 else "",
)  # fmt: skip
def test_mistakes(put, config, name, content, options, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        put(config, name, content, **options)


@pytest.mark.parametrize("key", ("data", "dev", "test"))
def test_a_pipe_is_no_file(put, tmp_path, key):
    put("mr_slstm", "all.csv", csv(ROWS))
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(ConfigurationError, match=r"^pipe: is a pipe, expected a file$"):
        with_data(whole_config("mr_slstm"), **{"data": "all.csv", key: "pipe"})


@pytest.mark.parametrize(
    "rows, message",
    [
        (ROWS, "dev has only 40 of the examples, few to choose the best epoch by: expected 50 or more"),
        *(
            (
                [(text, names[label]) for text, label in ROWS] + [("x", other)],
                f"classes {listed} differ o",
            )
            for names, other, listed in (
                ({"positive": "positive", "negative": "no"}, "Positive", "'Positive', 'positive'"),
                ({"positive": "1", "negative": "0"}, "1.0", "'1', '1.0'"),
                ({"positive": "né", "negative": "0"}, "ne\u0301", "'ne\u0301', 'né'"),
                ({"positive": "not ok", "negative": "ok"}, "not_ok", "'not ok', 'not_ok'"),
                ({"positive": "a  b", "negative": "c"}, "a b", "'a  b', 'a b'"),
            )
        ),
        *(
            (
                [*ROWS, *((f"x{number}", mark) for number in range(9))],
                f"the class {mark!r} may stand for",
            )
            for mark in ("NA", "None", "-", "#N/A", "<NA>", r"\N")
        ),
        (
            [(text, len(text) % 3) for text, _ in ROWS] + [(f"x{number}", -1) for number in range(9)],
            "all.csv: the class '-1' may stand for examples without a label",
        ),
        ([*ROWS, ("Total", 40)], "all.csv, line 402: the only example of the class '40', expected"),
        ([*ROWS, (ROWS[0][0], ROWS[1][1])], "all.csv: 1 of the texts have several labels each"),
        (
            [*ROWS, ('"Warm.', "positive"), ("Sent, back.", "negative"), ('Fits."', "positive")],
            "2 lines within texts look like rows, such as 'Warm.,positive'; if a quotation",
        ),
        ([*ROWS * 2, ('"positive, a lot\nScores: 4, negative"', "positive")], ""),
        ([*ROWS * 2, ('"Warm,\n, positively so\nnegative"', "positive")], ""),
        (ROWS * 2, ""),
    ],
)
def test_warnings(put, caplog, rows, message):
    caplog.set_level("WARNING")
    put("mr_slstm", "all.csv", csv(rows))
    assert message in caplog.text and bool(message) == bool(caplog.text)


@pytest.mark.parametrize("first, is_said", [("Wort\tTag\n", True), ("a\tA\n", False)])
def test_names_of_columns_that_are_not_known(put, caplog, first, is_said):
    caplog.set_level("WARNING")
    put("pos_linear", "all.txt", first + "".join(f"a{n}\tA\nb\tB\n\n" for n in range(500)))
    said = "all.txt: the first word is 'Wort', the only one with the tag 'Tag'; is it a name?"
    assert (said in caplog.text) is is_said and bool(caplog.text) is is_said
    caplog.clear()
    parts = {f"{part}.txt": f"{first}a\tA\nb\tB\n\n" for part in ("dev", "test")}
    put("pos_linear", "all.txt", first + COLUMNS, files=parts, dev="dev.txt", test="test.txt")
    assert caplog.text.count("is it a name?") == 3 * is_said


def test_other_columns_in_dev(put, caplog):
    dev = {"dev.csv": csv([("old", *row) for row in ROWS], "text,sentence,label")}
    put("mr_slstm", "all.csv", csv(ROWS, "sentence,label"), files=dev, dev="dev.csv")
    expected = "dev.csv: the columns text, label are read, and sentence, label in all.csv"
    assert expected in caplog.text


def test_utf_8_read_in_another_encoding(put, caplog):
    options = {"overrides": {"dataset_reader.encoding": "cp1252"}}
    put("mr_slstm", "all.csv", csv([(f"é {text}", label) for text, label in ROWS]), **options)
    assert "all.csv: every line is valid UTF-8, and it is read as cp1252" in caplog.text


def test_dev_in_train(put, caplog):
    put("mr_slstm", "all.csv", csv(ROWS), dev="all.csv")
    assert "400 of the 400 examples of dev are in train, too" in caplog.text
