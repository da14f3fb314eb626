import pytest

from tests.dataset_readers.common import reader_of, values


def read(path, dataset="toys", **options):
    return [values(instance) for instance in reader_of("review", dataset=dataset, **options).read(path)]


@pytest.fixture
def folder(tmp_path):
    train = [f"{number % 2}\treview {number}" for number in range(203)]
    (tmp_path / "toys.task.train").write_text("\n".join(train) + "\n")
    (tmp_path / "toys.task.test").write_bytes(b"1\tna\xefve \x85 but\tgood\n0\tna\xc3\xafve\n")
    return tmp_path


def test_the_last_200_of_train_are_dev(folder):
    train, dev = read(f"{folder}#train"), read(f"{folder}#dev")
    assert train == [("review 0", "negative"), ("review 1", "positive"), ("review 2", "negative")]
    assert dev == [(f"review {n}", ("negative", "positive")[n % 2]) for n in range(3, 203)]
    assert len(read(f"{folder}#train", dev_size=3)) == 200


def test_old_encodings_and_tabs_in_the_text(folder):
    """Only the first tab is a separator. A line that is not UTF-8 is Windows-1252."""
    assert read(f"{folder}#test") == [("naïve … but good", "positive"), ("naïve", "negative")]
    (folder / "toys.task.test").write_bytes("1\t“good” ".encode() + b"caf\xe9\n")
    assert read(f"{folder}#test") == [("“good” café", "positive")]


def test_a_review_without_words_is_left_out(folder, caplog):
    """As in line 1,121 of sports_outdoors. The parts stay where they are."""
    lines = (folder / "toys.task.train").read_text().splitlines()
    (folder / "toys.task.train").write_text("\n".join([lines[0], "1\t ", *lines[2:]]))
    assert [text for text, _ in read(f"{folder}#train")] == ["review 0", "review 2"]
    assert len(read(f"{folder}#dev")) == 200
    assert caplog.messages == [
        f"{folder}/toys.task.train, line 2: the text is empty, so this review is left out"
    ]


@pytest.mark.parametrize(
    "dataset, text, words",
    [
        ("toys", "It doesn't", "It does n't"),
        ("MR", "It doesn't", "It doesn't"),
        ("toys", "A well-made toy.", "A well-made toy ."),
    ],
)
def test_raw_text_is_split_as_the_datasets_are(dataset, text, words):
    assert values(reader_of("review", dataset=dataset).text_to_instance(text)) == (words,)


def test_labels_by_other_names(folder):
    labels = {"0": "bad", "1": "good"}
    assert [label for _, label in read(f"{folder}#test", labels=labels)] == ["good", "bad"]


def test_what_does_not_exist(folder):
    with pytest.raises(ValueError, match="no part 'valid', expected one of train, dev, test"):
        read(f"{folder}#valid")
    with pytest.raises(ValueError, match=r"there is no dataset 'baby', expected one of .*: toys"):
        read(f"{folder}#train", dataset="baby")
    (folder / "toys.task.train").write_text("1\tone review\n")
    with pytest.raises(ValueError, match="1 reviews, expected more than 200, as the last 200 are dev"):
        read(f"{folder}#train")
