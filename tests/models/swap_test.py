"""The encoder "slstm" in the place of "lstm" in every model of AllenNLP and allennlp_models."""

import inspect
import json
import re
from typing import Any, Dict, NamedTuple, Tuple

import pytest
import torch
from allennlp.common import Params
from allennlp.common.util import import_module_and_submodules
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.heads import Head
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder

from slstm_allennlp.console.main import main
from slstm_allennlp.models import BasicClassifier, CrfTagger
from tests.conftest import BERT_SIZE

import_module_and_submodules("allennlp_models")

EMBEDDER = {"token_embedders": {"tokens": {"embedding_dim": 8}}}
BLANK = {"type": "spacy_blank"}
PIECES = {"type": "pretrained_transformer", "model_name": "BERT"}  # the test fills in the folder
BEAM = {"beam_size": 2, "max_steps": 4}


class Case(NamedTuple):
    corpus: Tuple[str, Dict[str, Any]]  # a file or folder in fixtures/swap, and its reader
    model: Dict[str, Any]


def case(corpus, encoders, feedforwards=None, embedder="text_field_embedder", **model):
    """Return a case. Encoders and feed-forward networks are given by their sizes."""
    model.update({name: encoder(*sizes) for name, sizes in encoders.items()})
    model.update({name: feedforward(*sizes) for name, sizes in (feedforwards or {}).items()})
    return Case(corpus, {embedder: EMBEDDER, **model})


def encoder(input_size, hidden_size):
    """Return params of an encoder that would also be those of an LSTM."""
    return {"type": "slstm", "input_size": input_size, "hidden_size": hidden_size}


def feedforward(input_dim, hidden_dims, activations="tanh"):
    layer = {"num_layers": 1, "hidden_dims": hidden_dims, "activations": activations}
    return {"input_dim": input_dim, **layer}


def matchers(number, size):
    """Return the matchers of BiMPM for the halves of an encoder's output."""
    options = {"hidden_dim": size, "num_perspectives": 2}
    sides = ("forward", "backward")
    return {f"matcher_{side}{number}": {**options, "is_forward": side == "forward"} for side in sides}


REVIEWS = ("reviews.jsonl", {"type": "text_classification_json", "tokenizer": "whitespace"})
PAIRS = ("pairs.jsonl", {"type": "snli", "tokenizer": BLANK})
SQUAD = ("squad.json", {"type": "squad", "tokenizer": BLANK})
DROP = ("drop.json", {"type": "drop", "tokenizer": BLANK})
NAMES = ("names.conll", {"type": "conll2003", "coding_scheme": "BIOUL"})
PTB = ("trees.mrg", {"type": "ptb_trees"})
TREES = ("trees.conllu", {"type": "universal_dependencies"})
GRAPHS = ("graphs.sdp", {"type": "semantic_dependencies"})
TARGET = {"type": "seq2seq", "target_token_indexers": {"tokens": {"namespace": "target_tokens"}}}
COMMANDS = ("commands.tsv", {"source_tokenizer": "whitespace", **TARGET})
COPIED = {"type": "copynet_seq2seq", "target_namespace": "target_tokens"}
TAGS = {"pos_tag_embedding": {"embedding_dim": 4, "vocab_namespace": "pos"}}
ARCS = {**TAGS, "tag_representation_dim": 5, "arc_representation_dim": 5}
BIDAF = {"phrase_layer": (8, 6), "modeling_layer": (24, 5), "span_end_encoder": (39, 4)}
BAG = {"type": "bag_of_embeddings", "embedding_dim": 6, "averaged": True}
ENDS = {"type": "bidirectional_endpoint", "input_dim": 6}
ONE_HIGHWAY = {"num_highway_layers": 1}
DOT = {"matrix_attention": "dot_product"}
QANET = {**ONE_HIGHWAY, "matrix_attention_layer": "dot_product"}
CRF = {"label_encoding": "BIOUL", "constrain_crf_decoding": True, "calculate_span_f1": True}
SEQ2SEQ = {"attention": "dot_product", "target_namespace": "target_tokens", "beam_search": BEAM}
OF_WORDS, OF_WORDS_AND_TAGS = {"encoder": (8, 6)}, {"encoder": (12, 6)}
# The reader marks the previous answer in the passage, and an encoder reads the characters of words.
LETTERS = {"type": "characters", "min_padding_length": 3}
INDEXERS = {"tokens": "single_id", "token_characters": LETTERS}
CONTEXT = {"num_context_answers": 1}
ANSWER = {"residual_encoder": (6, 6), "span_start_encoder": (6, 6)}
QUAC_READER = {"type": "quac", "tokenizer": BLANK, "token_indexers": INDEXERS, **CONTEXT}
OF_LETTERS = {"embedding_dim": 4, "vocab_namespace": "token_characters"}
CHARACTERS = {"type": "character_encoding", "embedding": OF_LETTERS, "encoder": encoder(4, 3)}
WORDS_AND_LETTERS = {**EMBEDDER["token_embedders"], "token_characters": CHARACTERS}
PIECES_READER = {**REVIEWS[1], "tokenizer": PIECES, "token_indexers": {"tokens": PIECES}}
LSTM_CELL = {"type": "lstm_cell", "decoding_dim": 6, "target_embedding_dim": 5}
DECODER = {
    "type": "auto_regressive_seq_decoder",
    "decoder_net": {**LSTM_CELL, "attention": "dot_product"},
    "target_embedder": {"embedding_dim": 5, "vocab_namespace": "target_tokens"},
    "target_namespace": "target_tokens",
    "beam_search": BEAM,
}
CASES = {
    "basic_classifier": case(REVIEWS, {"seq2vec_encoder": (8, 6)}),
    "basic_classifier, both": case(REVIEWS, {"seq2seq_encoder": (8, 6)}, seq2vec_encoder=BAG),
    "bcn": case(
        REVIEWS,
        {"encoder": (7, 6), "integrator": (18, 5)},
        {"pre_encode_feedforward": (8, 7), "output_layer": (20, 2, "linear")},
        **dict.fromkeys(("embedding_dropout", "integrator_dropout"), 0),
    ),
    "simple_tagger": case(("tagged.txt", {"type": "sequence_tagging"}), OF_WORDS),
    "crf_tagger": case(NAMES, OF_WORDS, **CRF),
    "esim": case(
        PAIRS,
        {"encoder": (8, 6), "inference_encoder": (5, 4)},
        {"projection_feedforward": (24, 5), "output_feedforward": (16, 6)},
        output_logit=feedforward(6, 3, "linear"),
        **DOT,
    ),
    "decomposable_attention": case(
        PAIRS,
        {"premise_encoder": (8, 8), "hypothesis_encoder": (8, 8)},
        {"attend_feedforward": (8, 6), "compare_feedforward": (16, 6)},
        aggregate_feedforward=feedforward(12, 3, "linear"),
        **DOT,
    ),
    # BiMPM and the constituency parser's span extractor treat the halves of the output as forward and
    # backward. Here they are just halves, as they are of a unidirectional "lstm".
    "bimpm": case(
        PAIRS,
        {"encoder1": (8, 6), "encoder2": (6, 4), "aggregator": (72, 5)},
        {"classifier_feedforward": (10, 3, "linear")},
        matcher_word={"hidden_dim": 8, "num_perspectives": 2, "with_full_match": False},
        **matchers(1, 3),
        **matchers(2, 2),
    ),
    "bidaf": case(SQUAD, BIDAF, **ONE_HIGHWAY, **DOT),
    "bidaf, without masks": case(SQUAD, BIDAF, **ONE_HIGHWAY, **DOT, mask_lstms=False),
    "qanet": case(SQUAD, {"phrase_layer": (6, 5), "modeling_layer": (7, 7)}, **QANET),
    "naqanet": case(DROP, {"phrase_layer": (6, 6), "modeling_layer": (6, 6)}, **QANET),
    "dialog_qa": case(
        ("quac.json", QUAC_READER),
        {"phrase_layer": (16, 6), "span_end_encoder": (12, 6), **ANSWER},
        text_field_embedder={"token_embedders": WORDS_AND_LETTERS},
        marker_embedding_dim=5,
        **CONTEXT,
    ),
    "coref": case(
        ("ontonotes/stories.gold_conll", {"type": "coref", "max_span_width": 3}),
        {"context_layer": (8, 6)},
        {"mention_feedforward": (24, 5), "antecedent_feedforward": (76, 5)},
        **{"feature_size": 4, "max_span_width": 3, "spans_per_word": 0.5, "max_antecedents": 4},
        **{"coarse_to_fine": True, "inference_order": 2},
    ),
    "srl": case(("ontonotes", {"type": "srl"}), OF_WORDS_AND_TAGS, binary_feature_dim=4),
    "constituency_parser": case(
        PTB, OF_WORDS_AND_TAGS, {"feedforward": (6, 5)}, span_extractor=ENDS, **TAGS
    ),
    "biaffine_parser": case(TREES, OF_WORDS_AND_TAGS, **ARCS),
    "graph_parser": case(GRAPHS, OF_WORDS_AND_TAGS, **ARCS),
    "simple_seq2seq": case(COMMANDS, OF_WORDS, embedder="source_embedder", **SEQ2SEQ),
    "composed_seq2seq": case(COMMANDS, OF_WORDS, embedder="source_text_embedder", decoder=DECODER),
    "copynet_seq2seq": case(
        ("commands.tsv", {"source_tokenizer": "whitespace", **COPIED}),
        OF_WORDS,
        embedder="source_embedder",
        attention={"type": "bilinear", "vector_dim": 6, "matrix_dim": 6},
        beam_search=BEAM,
    ),
    # The model takes no encoder, but its heads do.
    "multitask": Case(
        ("reviews.jsonl", {"type": "multitask", "readers": {"review": PIECES_READER}}),
        {
            "backbone": PIECES,
            "heads": {"review": {"type": "classifier", "seq2vec_encoder": encoder(BERT_SIZE, 6)}},
            "arg_name_mapping": {"backbone": {"tokens": "text"}},
        },
    ),
}

# The models that take an encoder but cannot use an S-LSTM, and why.
UNFIT = {
    "language_model": "predicts each word from those before it, but an S-LSTM also reads those after it",
    "bidirectional-language-model": "needs an encoder with separate forward and backward outputs, "
    "neither of which has read the word to predict",
    "next_token_lm": "fails with every contextualizer: AllenNLP calls get_text_field_mask with a tensor",
    "masked_language_model": "as next_token_lm",
    "bart": "AllenNLP's wrapper of a custom encoder fails with every encoder, since transformers passes "
    "it a head_mask",
}


def name_of(case):
    return case.split(",")[0]


def classes_with_encoder(registry):
    """Return AllenNLP's own classes in a registry that take an encoder."""
    found = set()
    for subclass, constructor in map(registry.resolve_class_name, registry.list_available()):
        types = str(inspect.signature(getattr(subclass, constructor or "__init__")))
        if subclass.__module__.startswith("allennlp") and re.search("Seq2(Seq|Vec)Encoder", types):
            found.add(subclass)
    return found


def test_no_model_that_takes_an_encoder_is_left_out():
    covered = {name_of(case) for case in CASES}
    assert not covered & set(UNFIT)
    expected = {Model.resolve_class_name(name)[0] for name in (covered | set(UNFIT)) - {"multitask"}}
    plugins_own = {BasicClassifier, CrfTagger}
    assert classes_with_encoder(Model) | plugins_own == expected
    assert classes_with_encoder(Head) == {Head.by_name("classifier")}  # in the multitask model


def build(case, name, bert="BERT"):
    (path, reader), model = case
    text = json.dumps([reader, {"type": name, **model}]).replace('"BERT"', json.dumps(str(bert)))
    reader, model = map(Params, json.loads(text))
    torch.manual_seed(0)
    reader = DatasetReader.from_params(reader)
    task = {"force_task": "review"} if name == "multitask" else {}
    instances = list(reader.read(f"fixtures/swap/{path}", **task))
    return reader, instances, Model.from_params(model, vocab=Vocabulary.from_instances(instances))


@pytest.mark.parametrize("case", CASES)
def test_one_step_and_one_prediction(case, bert):
    """Each weight of the encoders has a gradient and changes."""
    _, instances, model = build(CASES[case], name_of(case), bert)
    classes = (Seq2SeqEncoder.by_name("slstm"), Seq2VecEncoder.by_name("slstm"))
    encoders = [module for module in model.modules() if isinstance(module, classes)]
    assert len(encoders) == json.dumps(CASES[case].model).count('"slstm"')
    weights = [weight for module in encoders for weight in module.parameters()]
    before = [weight.detach().clone() for weight in weights]
    optimizer, batch = torch.optim.Adam(model.parameters(), lr=0.01), Batch(instances)
    batch.index_instances(model.vocab)
    loss = model.train()(**batch.as_tensor_dict())["loss"]
    assert loss.isfinite()
    loss.backward()
    assert all(weight.grad.isfinite().all() and weight.grad.any() for weight in weights)
    optimizer.step()
    assert all(not torch.equal(new, old) for new, old in zip(weights, before))
    output = model.eval().forward_on_instance(instances[0])
    assert len(output) > 1 and output["loss"] >= 0


def test_several_tasks_are_trained_and_evaluated(bert, tmp_path, capsys):
    """AllenNLP's `multitask` reader has no `max_instances`, which other readers have."""
    (path, reader), model = CASES["multitask"]
    path = {"review": f"fixtures/swap/{path}"}
    config = {
        "dataset_reader": reader,
        "train_data_path": path,
        "validation_data_path": path,
        "model": {"type": "multitask", **model},
        "data_loader": {"type": "multitask", "scheduler": {"batch_size": 2}},
        "trainer": {"optimizer": "adam", "num_epochs": 1},
    }
    (tmp_path / "config.json").write_text(json.dumps(config).replace('"BERT"', json.dumps(str(bert))))
    run = str(tmp_path / "run")
    assert main(["train", str(tmp_path / "config.json"), "-s", run]) == 0
    capsys.readouterr()
    assert main(["evaluate", f"{run}/model.tar.gz", json.dumps(path)]) == 0
    assert "review_accuracy" in capsys.readouterr().out
