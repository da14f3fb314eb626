import pytest

from tests.dataset_readers.common import example_of, reader_of

FILE = r"""*x*x*x*x*x*
*x*  nobody  *x*


[ The/DT old/JJ baker/NN ]

[ who/WP ]
sold/VBD
[ 1\/2/CD loaf/NN ]
,/,
[ he/PRP ]
said/VBD ./.
======================================

``/`` [ That/WDT ]
was/VBD painted/VBN|JJ ?/.

''/''
he/PRP asked/VBD ./. It/PRP rained/VBD ./.

''/''
[ U.S./NNP ./. Post/NNP ]
closed/VBD ./.


News/NNS
======================================

-LRB-/-LRB- It/PRP
snowed/VBD ./. -RRB-/-RRB-
but/CC
"""
SENTENCES = [
    "The/DT old/JJ baker/NN who/WP sold/VBD 1/2/CD loaf/NN ,/, he/PRP said/VBD ./.",
    "``/`` That/WDT was/VBD painted/VBN ?/. ''/'' he/PRP asked/VBD ./.",  # continues in lower case
    "It/PRP rained/VBD ./. ''/''",  # with the quotes on a separate line
    "U.S./NNP ./. Post/NNP closed/VBD ./.",  # no sentence ends inside brackets
    "News/NNS",  # a paragraph without a full stop
    "-LRB-/-LRB- It/PRP snowed/VBD ./. -RRB-/-RRB- but/CC",
]


def read(path):
    examples = map(example_of, reader_of("penn_treebank_pos").read(path))
    return [(example["tokens"], example["tags"]) for example in examples]


@pytest.fixture
def treebank(tmp_path):
    for section in range(25):
        (tmp_path / f"{section:02}").mkdir()
        (tmp_path / f"{section:02}" / f"wsj_{section:02}07.pos").write_text(f"{section}/CD\n")
    return tmp_path


def test_the_format(tmp_path, caplog):
    (tmp_path / "wsj_2300.pos").write_text(FILE)
    with caplog.at_level("INFO"):
        sentences = read(f"{tmp_path}#23")
    assert [" ".join(map("/".join, zip(*sentence))) for sentence in sentences] == SENTENCES
    assert "#23: 1 words have several tags, of which the first is read" in caplog.text


def test_quotes_in_a_paragraph_of_their_own(tmp_path):
    (tmp_path / "wsj_2300.pos").write_text("It/PRP rained/VBD ./.\n=====\n\n''/''\n=====\n\nnext/JJ\n")
    assert [words for words, _ in read(f"{tmp_path}#23")] == [["It", "rained", ".", "''"], ["next"]]


@pytest.mark.parametrize(
    "part, first, last",
    [("train", 0, 18), ("dev", 19, 21), ("test", 22, 24), ("2-21", 2, 21), ("23", 23, 23), ("0", 0, 0)],
)
def test_sections(treebank, part, first, last):
    assert [words for words, _ in read(f"{treebank}#{part}")] == [
        [str(section)] for section in range(first, last + 1)
    ]


def test_a_flat_folder_in_the_order_of_the_files(tmp_path):
    for number in ("0002", "0001", "0101"):
        (tmp_path / f"WSJ_{number}.POS").write_text(f"{number}/CD\n")
    assert [words for words, _ in read(f"{tmp_path}#0-1")] == [["0001"], ["0002"], ["0101"]]


@pytest.mark.parametrize(
    "part, message",
    [
        ("valid", "no part 'valid', expected one of train, dev, test, or sections from 0 to 24"),
        ("21-2", "there is no part '21-2'"),
        ("23-25", "there is no part '23-25'"),
    ],
)
def test_parts_that_do_not_exist(treebank, part, message):
    with pytest.raises(ValueError, match=message):
        read(f"{treebank}#{part}")


def test_missing_sections_and_odd_names(treebank):
    (treebank / "20" / "wsj_2007.pos").unlink()
    with pytest.raises(ValueError, match=r"no file of section 20, expected some such as wsj_2001.pos"):
        read(f"{treebank}#dev")
    (treebank / "notes.pos").write_text("a/DT\n")
    with pytest.raises(ValueError, match=r"notes.pos: the name has no section number"):
        read(f"{treebank}#test")
