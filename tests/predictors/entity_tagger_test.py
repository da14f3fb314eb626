"""Entities of a tagger, with text, label and position, from raw text and from words."""

import pytest
from allennlp.models import load_archive
from allennlp.predictors import Predictor


@pytest.fixture(scope="module")
def archive(entity_tagger):
    return load_archive(entity_tagger / "model.tar.gz")


@pytest.fixture
def predictor(archive):
    return Predictor.from_archive(archive)


def patch_tags(monkeypatch, archive, tags):
    """Make the model return these tags for every sentence."""
    monkeypatch.setattr(
        archive.model, "forward_on_instances", lambda instances: [{"tags": tags} for _ in instances]
    )


def test_spans_stand_in_the_text(predictor):
    """The offsets of a span are those of its text."""
    inputs = [
        {"sentence": "Anna Lindau  visits Norwick Bank,\tin Galway."},
        {"sentence": "“Norwick” — said Tomás Muñoz — 'll do."},
        {"words": ["Anna", "Lindau", "visits", "Galway", "."]},
    ]
    outputs = predictor.predict_batch_json(inputs)
    for json_dict, output in zip(inputs, outputs):
        text = json_dict.get("sentence") or " ".join(json_dict["words"])
        assert all(span["text"] == text[span["start"] : span["end"]] for span in output["spans"])
    assert any(output["spans"] for output in outputs)
    assert predictor.predict_json({"sentence": ""})["spans"] == []


def test_spans_by_hand(predictor, archive, monkeypatch):
    patch_tags(monkeypatch, archive, ["B-PER", "L-PER", "O", "U-LOC", "O"])
    output = predictor.predict_json({"sentence": "Anna  Lindau likes Galway."})
    assert output["spans"] == [
        {"text": "Anna  Lindau", "label": "PER", "start": 0, "end": 12},
        {"text": "Galway", "label": "LOC", "start": 19, "end": 25},
    ]
    # Each entity has the white space of its own sentence.
    inputs = [{"sentence": "Anna\tLindau likes Galway."}, {"sentence": "Tom\nMay left  Norwick."}]
    outputs = predictor.predict_batch_json(inputs)
    texts = [[span["text"] for span in output["spans"]] for output in outputs]
    assert texts == [["Anna\tLindau", "Galway"], ["Tom\nMay", "Norwick"]]
    output = predictor.predict_json({"words": ["Anna", "Lindau", "likes", "Galway", "."]})
    assert [(span["text"], span["start"], span["end"]) for span in output["spans"]] == [
        ("Anna Lindau", 0, 11),
        ("Galway", 18, 24),
    ]


def test_illegal_tags_make_spans_too(predictor, archive, monkeypatch):
    patch_tags(monkeypatch, archive, ["I-PER", "O", "B-LOC"])
    spans = predictor.predict_json({"words": ["Anna", "likes", "Galway"]})["spans"]
    assert [(span["text"], span["label"]) for span in spans] == [("Anna", "PER"), ("Galway", "LOC")]


def test_no_spans_where_tags_are_no_entities(tagger):
    predictor = Predictor.from_path(str(tagger / "model.tar.gz"))
    assert "spans" not in predictor.predict_json({"sentence": "Anna likes Galway."})
