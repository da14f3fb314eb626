"""`slstm.Encoder.v1`: the layer itself, and spaCy's commands where AllenNLP is not installed."""

import json
import os
import re
import sys
from distutils.core import run_setup
from importlib.metadata import EntryPoint

import numpy
import pytest
import spacy
import torch
from spacy.tokens import Doc, DocBin
from spacy.training import Example
from thinc.api import Adam, Config

from slstm_allennlp.modules import SentenceStateLSTM
from slstm_allennlp.spacy_encoder import slstm_encoder
from slstm_allennlp.version import __version__
from tests.conftest import ROOT, run_program

SENTENCES = [
    ("Ann/NNP sees/VBZ a/DT dog/NN in/IN Rome/NNP ./.", {"Ann": "PER", "Rome": "LOC"}),
    ("The/DT dog/NN sees/VBZ Bob/NNP ./.", {"Bob": "PER"}),
    ("Bob/NNP lives/VBZ in/IN Oslo/NNP ./.", {"Bob": "PER", "Oslo": "LOC"}),
    ("Rome/NNP is/VBZ old/JJ ./.", {"Rome": "LOC"}),
    ("An/DT old/JJ dog/NN lives/VBZ !/.", {}),
]
TEXTS = ["Ann lives in Oslo.", "", "The old dog sees Rome!", "Bob"]


def blocks():
    page = (ROOT / "docs/spacy.md").read_text(encoding="utf-8")
    configs = [Config().from_str(text) for text in re.findall(r"```ini\n(.*?)```", page, re.DOTALL)]
    return {config["nlp"]["pipeline"][0]: config for config in configs}


def documents(vocab):
    """Return annotated documents, the last without words."""
    docs = []
    for sentence, entities in SENTENCES:
        words, tags = zip(*(word.rsplit("/", 1) for word in sentence.split()))
        ents = [f"B-{entities[word]}" if word in entities else "O" for word in words]
        docs.append(Doc(vocab, words=words, tags=tags, ents=ents))
    return [*docs, Doc(vocab, words=[])]


def loaded(config):
    nlp = spacy.util.load_model_from_config(config, auto_fill=True)
    docs = documents(nlp.vocab)
    return nlp, [Example(Doc(nlp.vocab, words=[token.text for token in doc]), doc) for doc in docs]


def answers(docs):
    return [[(token.text, token.tag_, token.ent_iob_, token.ent_type_) for token in doc] for doc in docs]


def ragged(*lengths, width=6):
    generator = numpy.random.default_rng(3)
    return [generator.normal(size=(length, width)).astype("f") for length in lengths]


@pytest.mark.parametrize("transition", ["paper", "balanced", {"gate_normalization": "softmax"}])
@pytest.mark.parametrize("lengths", [(3, 7, 1), (2, 0, 4), (0,), (0, 0), (), (1, 2, 0, 40, 2, 1, 1)])
def test_states_and_gradients_are_those_of_torch(transition, lengths):
    layer = slstm_encoder(6, 3, window_size=2, transition=transition)
    own = layer.shims[0]._model.slstm
    module = SentenceStateLSTM(6, 6, 3, 2, transition=transition).double()
    module.load_state_dict(own.state_dict())
    batch, upstream = ragged(*lengths), ragged(*lengths)
    states, backprop = layer.begin_update(batch)
    gradients = backprop(upstream)
    assert [array.dtype for array in [*states, *gradients]] == ["float32"] * (2 * len(lengths))
    # Without padding: one document at a time.
    for document, state, gradient, given in zip(batch, states, gradients, upstream):
        assert state.shape == gradient.shape == document.shape
        if len(document):
            inputs = torch.tensor(document[None]).double().requires_grad_()
            words, _ = module(inputs)
            words.backward(torch.tensor(given[None]).double())
            numpy.testing.assert_allclose(state, words[0].detach(), atol=1e-5)
            numpy.testing.assert_allclose(gradient, inputs.grad[0], atol=1e-5)
    for name, weight in module.named_parameters():
        got, expected = own.get_parameter(name).grad, weight.grad
        if expected is None:
            assert got is None or not got.any()
        else:
            numpy.testing.assert_allclose(got, expected, atol=1e-4)
    for predicted, state in zip(layer.predict(batch), states):
        numpy.testing.assert_allclose(predicted, state, atol=1e-5)


def test_one_long_document_does_not_multiply_the_padding():
    layer, sizes = slstm_encoder(6, 1), []
    layer.shims[0]._model.slstm.register_forward_pre_hook(
        lambda _, given: sizes.append(given[0].shape[:2])
    )
    layer.predict(ragged(*[2, 3] * 20, 500, 1, 30))
    layer.predict(ragged(5, 30, 1, 20, 12))
    assert sizes == [(41, 3), (2, 500), (5, 30)]


def test_another_width_than_that_of_the_embedding():
    with pytest.raises(ValueError, match=r"^width is 6, expected 5, that of the embedding"):
        slstm_encoder(6).predict(ragged(3, width=5))


def test_dropout_is_that_of_training():
    layer, batch = slstm_encoder(6, 2, dropout=0.5), ragged(4, 2)
    first, second = (layer(batch, is_train=True)[0] for _ in range(2))
    assert (first[0] == 0).any() and not numpy.array_equal(first[0], second[0])
    kept = (first[0] != 0) & (second[0] != 0)  # of the states; of the vectors, others were dropped
    assert kept.any() and not numpy.allclose(first[0][kept], second[0][kept])
    first, second = (layer.predict(batch) for _ in range(2))
    assert numpy.array_equal(first[0], second[0]) and first[0].all()


@pytest.mark.parametrize(
    "arguments, message",
    (
        ({"width": 0}, "width is 0, expected an integer of at least 1"),
        ({"depth": 0}, "depth is 0, expected an integer of at least 1"),
        ({"dropout": 2}, "dropout is 2, expected a rate from 0 to 1"),
        ({"window_size": 0}, "window_size is 0, expected an integer of at least 1"),
        ({"transition": "papper"}, "transition: unknown preset 'papper', did you mean 'paper'?"),
    ),
)
def test_errors(arguments, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        slstm_encoder(**{"width": 4, **arguments})


@pytest.mark.parametrize("component", ["tagger", "ner"])
def test_components_of_the_page_learn_and_are_copied(component):
    config = blocks()[component]
    nlp, examples = loaded(config)
    nlp.initialize(lambda: examples)
    optimizer = Adam(0.01)
    losses = [nlp.update(examples, sgd=optimizer)[component] for _ in range(15)]
    assert losses[-1] < losses[0] / 5
    copy = spacy.util.load_model_from_config(config, auto_fill=True).from_bytes(nlp.to_bytes())
    assert answers(copy.pipe(TEXTS)) == answers(nlp.pipe(TEXTS))


def test_components_share_an_encoder_whose_transition_is_a_block():
    config = blocks()["tagger"]
    shared = config["components"]["tagger"]["model"]["tok2vec"]
    shared["encode"]["transition"] = {"preset": "balanced", "candidate": "tanh"}
    config["components"]["tok2vec"] = {"factory": "tok2vec", "model": shared}
    listener = {"@architectures": "spacy.Tok2VecListener.v1", "width": 96}
    config["components"]["tagger"]["model"]["tok2vec"] = listener
    config["nlp"]["pipeline"] = ["tok2vec", "tagger"]
    nlp, examples = loaded(config)
    optimizer = nlp.initialize(lambda: examples)
    (module,) = [shim._model for node in nlp.get_pipe("tok2vec").model.walk() for shim in node.shims]
    assert module.slstm.settings.transition.candidate == "tanh"
    before = module.slstm.word_W.detach().clone()
    for _ in range(2):  # the first has no gradient: the tagger's last layer starts at zero
        nlp.update(examples, sgd=optimizer)
    assert not torch.equal(module.slstm.word_W, before)
    assert [len(doc) for doc in nlp.pipe(TEXTS)] == [5, 0, 6, 1]


@pytest.fixture
def run(tmp_path):
    """Return `run(*arguments)` for Python where the package is installed and AllenNLP is not."""
    site = tmp_path / "site"
    site.mkdir()
    (site / "sitecustomize.py").write_text("import sys; sys.modules['allennlp'] = None")

    def run(*arguments, cwd=ROOT, path=""):
        paths = os.pathsep.join(map(str, filter(None, (site, ROOT, path))))
        variables = {**os.environ, "PYTHONPATH": paths}
        command = [sys.executable, *map(str, arguments)]
        done = run_program(command, env=variables, cwd=cwd, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    run("setup.py", "-q", "egg_info", "--egg-base", site)
    return run


def trained(component, run, folder):
    """Train the page's config in the folder by `spacy train`, and return its score on the same texts."""
    for part in ("train", "dev"):
        DocBin(docs=documents(spacy.blank("en").vocab)[:-1]).to_disk(folder / f"{part}.spacy")
    config = blocks()[component]
    config["training"] |= {"max_steps": 30, "eval_frequency": 15}
    config["training"]["optimizer"] = {"@optimizers": "Adam.v1", "learn_rate": 0.01}
    config.to_disk(folder / "base.cfg", interpolate=False)
    run("-m", "spacy", "train", "base.cfg", "--output", "out", cwd=folder)
    run("-m", "spacy", "evaluate", "out/model-best", "dev.spacy", "--output", "scores.json", cwd=folder)
    return json.loads((folder / "scores.json").read_text())


def test_the_entry_point():
    points = run_setup("setup.py", stop_after="init").entry_points["spacy_architectures"]
    (point,) = (EntryPoint(*line.split("="), "spacy_architectures") for line in points)
    assert point.name == "slstm.Encoder.v1"
    assert point.load() is slstm_encoder is spacy.registry.architectures.get(point.name)


# AllenNLP's own pins have a typer whose programs do not start with the pinned click.
with_program = pytest.mark.skipif(spacy.__version__ < "3.5", reason="`python -m spacy` does not start")


@pytest.mark.slow
def test_the_entry_point_is_found_where_the_package_is_installed(run):
    program = (
        "import sys, spacy; encoder = spacy.registry.architectures.get('slstm.Encoder.v1'); "
        "print(encoder(8).get_dim('nO'), [name for name in sys.modules if name.startswith('allennlp.')])"
    )
    assert run("-c", program) == "8 []\n"


@with_program
@pytest.mark.slow
def test_a_trained_tagger_answers_alike_from_a_folder_and_in_processes(run, tmp_path):
    assert trained("tagger", run, tmp_path)["tag_acc"] > 0.9
    program = f"""
import json, sys, spacy, torch
torch.set_num_threads(1)  # as docs/spacy.md says: PyTorch's threads do not survive a fork
nlp = spacy.load("out/model-best")
nlp.to_disk(sys.argv[1])
copy = spacy.load(sys.argv[1])
ways = nlp.pipe({TEXTS!r}), copy.pipe({TEXTS!r}), copy.pipe({TEXTS!r} * 20, n_process=2, batch_size=8)
print(json.dumps([[[token.tag_ for token in doc] for doc in docs] for docs in ways]))
"""
    first, copied, parallel = json.loads(run("-c", program, tmp_path / "copy", cwd=tmp_path))
    assert first == copied and parallel == first * 20
    assert first[0] == ["NNP", "VBZ", "IN", "NNP", "."] and first[1] == []


@with_program
@pytest.mark.slow
def test_a_package_of_a_trained_model_is_built_installed_and_loaded(run, tmp_path):
    assert trained("ner", run, tmp_path)["ents_f"] > 0.9
    run("-m", "spacy", "package", "out/model-best", tmp_path, "--name", "people", cwd=tmp_path)
    (archive,) = tmp_path.glob("en_people-0.0.0/dist/*.tar.gz")
    pip = "-m pip install --quiet --no-deps --no-index --no-build-isolation --target".split()
    run(*pip, tmp_path / "installed", archive)
    program = f"""
import json, en_people, spacy
nlp = en_people.load()
entities = [[entity.text for entity in doc.ents] for doc in nlp.pipe({TEXTS!r})]
print(json.dumps([nlp.meta["requirements"], entities]))
"""
    requirements, entities = json.loads(run("-c", program, path=tmp_path / "installed"))
    assert f"slstm-allennlp>={__version__},<0.2.0" in requirements
    assert entities == [["Ann", "Oslo"], [], ["Rome"], ["Bob"]]
