"""
Replace "lstm" by "slstm" in every model of AllenNLP and allennlp_models that takes an encoder. In each
config below, only the type of the encoders changes.
"""

import inspect
import json
import math
from typing import Any, Callable, Dict, NamedTuple, Optional, Set

import pytest
import spacy
import torch
import transformers
from allennlp.common import Params
from allennlp.common.checks import ConfigurationError
from allennlp.common.util import import_module_and_submodules, sanitize
from allennlp.data import Batch, DatasetReader, Vocabulary
from allennlp.models import Model
from allennlp.models.heads import Head
from allennlp.modules import Seq2SeqEncoder, Seq2VecEncoder
from allennlp.predictors import Predictor

from slstm_allennlp.models import BasicClassifier, CrfTagger

import_module_and_submodules("allennlp_models")

DATA = "fixtures/swap/"
EMBEDDER = {"token_embedders": {"tokens": {"embedding_dim": 8}}}
BLANK = {"type": "spacy_blank"}


def encoder(input_size, hidden_size):
    """Return params of an encoder. The test fills in its type; other keys stay the same."""
    return {"type": "SWAPPED", "input_size": input_size, "hidden_size": hidden_size}


def feedforward(input_dim, hidden_dims, activations="tanh"):
    return {
        "input_dim": input_dim,
        "num_layers": 1,
        "hidden_dims": hidden_dims,
        "activations": activations,
    }


class Case(NamedTuple):
    """A config, an input for the model's default predictor, and a check of the prediction."""

    reader: Dict[str, Any]
    data: str
    model: Dict[str, Any]
    question: Optional[Dict[str, Any]] = None  # None without a predictor: predict the first instance
    check: Optional[Callable[[Dict[str, Any]], bool]] = None


def distribution(probabilities, size):
    return len(probabilities) == size and math.isclose(sum(probabilities), 1, abs_tol=1e-5)


REVIEWS = {"type": "text_classification_json", "tokenizer": "whitespace"}
PAIRS = {"type": "snli", "tokenizer": BLANK}
SQUAD = {"type": "squad", "tokenizer": BLANK}
COMMANDS = {
    "type": "seq2seq",
    "source_tokenizer": "whitespace",
    "target_token_indexers": {"tokens": {"namespace": "target_tokens"}},
}
PARSER = {
    "text_field_embedder": EMBEDDER,
    "pos_tag_embedding": {"embedding_dim": 4, "vocab_namespace": "pos"},
    "encoder": encoder(12, 6),
}
SENTENCE = {"sentence": "The rain fell"}
PAIR = {"premise": "Two children swim.", "hypothesis": "They are outdoors."}
FILM = {"sentence": "a clever film"}
PASSAGE = {"question": "Who painted it?", "passage": "Emil painted the door green."}
COMMAND = {"source": "turn left"}
ANSWER = {"text": "painted the door", "answer_start": 5}
BEAM = {"beam_size": 2, "max_steps": 4}


def is_review(output):
    return output["label"] in ("good", "bad") and distribution(output["probabilities"].values(), 2)


def is_pair(output):
    return distribution(output["label_probs"], 3)


def is_span_of_the_passage(output):
    return output["best_span_str"] != "" and output["best_span_str"] in PASSAGE["passage"]


def is_command(output):
    """Return whether the best hypothesis (or each of two) has words of source and target."""
    beams = output["predicted_tokens"]
    beams = beams if beams and isinstance(beams[0], list) else [beams]
    words = {word for beam in beams for word in beam}
    return len(output["predictions"]) == 2 and words <= {
        *"left turn walk mill stop @@UNKNOWN@@ @@PADDING@@ @start@ @COPY@".split()
    }


CASES = {
    "basic_classifier": Case(
        REVIEWS,
        "reviews.jsonl",
        {"text_field_embedder": EMBEDDER, "seq2vec_encoder": encoder(8, 6)},
        FILM,
        is_review,
    ),
    "basic_classifier, sequence and pooling": Case(
        REVIEWS,
        "reviews.jsonl",
        {
            "text_field_embedder": EMBEDDER,
            "seq2seq_encoder": encoder(8, 6),
            "seq2vec_encoder": {"type": "bag_of_embeddings", "embedding_dim": 6, "averaged": True},
        },
        FILM,
        is_review,
    ),
    "bcn": Case(
        REVIEWS,
        "reviews.jsonl",
        {
            "text_field_embedder": EMBEDDER,
            "embedding_dropout": 0,
            "pre_encode_feedforward": feedforward(8, 7),
            "encoder": encoder(7, 6),
            "integrator": encoder(18, 5),
            "integrator_dropout": 0,
            "output_layer": feedforward(20, 2, "linear"),
        },
        None,
        lambda output: (
            output["label"] in ("good", "bad") and distribution(output["class_probabilities"], 2)
        ),
    ),
    "simple_tagger": Case(
        {"type": "sequence_tagging"},
        "tagged.txt",
        {"text_field_embedder": EMBEDDER, "encoder": encoder(8, 6)},
        {"sentence": "the red baker waits"},
        lambda output: (
            len(output["tags"]) == 4 and set(output["tags"]) <= {"DET", "ADJ", "NOUN", "VERB", "PRON"}
        ),
    ),
    "crf_tagger": Case(
        {"type": "conll2003", "coding_scheme": "BIOUL"},
        "names.conll",
        {
            "text_field_embedder": EMBEDDER,
            "encoder": encoder(8, 6),
            "label_encoding": "BIOUL",
            "constrain_crf_decoding": True,
            "calculate_span_f1": True,
        },
        {"sentence": "Tove sails to Ellery"},
        lambda output: len(output["tags"]) == 4 and {tag[0] for tag in output["tags"]} <= set("BIOUL"),
    ),
    "esim": Case(
        PAIRS,
        "pairs.jsonl",
        {
            "text_field_embedder": EMBEDDER,
            "encoder": encoder(8, 6),
            "matrix_attention": "dot_product",
            "projection_feedforward": feedforward(24, 5),
            "inference_encoder": encoder(5, 4),
            "output_feedforward": feedforward(16, 6),
            "output_logit": feedforward(6, 3, "linear"),
        },
        PAIR,
        is_pair,
    ),
    "decomposable_attention": Case(
        PAIRS,
        "pairs.jsonl",
        {
            "text_field_embedder": EMBEDDER,
            "premise_encoder": encoder(8, 8),
            "hypothesis_encoder": encoder(8, 8),
            "attend_feedforward": feedforward(8, 6),
            "matrix_attention": "dot_product",
            "compare_feedforward": feedforward(16, 6),
            "aggregate_feedforward": feedforward(12, 3, "linear"),
        },
        PAIR,
        is_pair,
    ),
    # BiMPM and the constituency parser's span extractor treat the halves of the output as forward and
    # backward. Here they are just halves, both for "slstm" and for a unidirectional "lstm".
    "bimpm": Case(
        PAIRS,
        "pairs.jsonl",
        {
            "text_field_embedder": EMBEDDER,
            "matcher_word": {"hidden_dim": 8, "num_perspectives": 2, "with_full_match": False},
            "encoder1": encoder(8, 6),
            "matcher_forward1": {"hidden_dim": 3, "num_perspectives": 2, "is_forward": True},
            "matcher_backward1": {"hidden_dim": 3, "num_perspectives": 2, "is_forward": False},
            "encoder2": encoder(6, 4),
            "matcher_forward2": {"hidden_dim": 2, "num_perspectives": 2, "is_forward": True},
            "matcher_backward2": {"hidden_dim": 2, "num_perspectives": 2, "is_forward": False},
            "aggregator": encoder(72, 5),
            "classifier_feedforward": feedforward(10, 3, "linear"),
        },
        PAIR,
        is_pair,
    ),
    "bidaf": Case(
        SQUAD,
        "squad.json",
        {
            "text_field_embedder": EMBEDDER,
            "num_highway_layers": 1,
            "phrase_layer": encoder(8, 6),
            "matrix_attention": {
                "type": "linear",
                "combination": "x,y,x*y",
                "tensor_1_dim": 6,
                "tensor_2_dim": 6,
            },
            "modeling_layer": encoder(24, 5),
            "span_end_encoder": encoder(39, 4),
        },
        PASSAGE,
        is_span_of_the_passage,
    ),
    "bidaf, without masks": Case(
        SQUAD,
        "squad.json",
        {
            "text_field_embedder": EMBEDDER,
            "num_highway_layers": 1,
            "phrase_layer": encoder(8, 6),
            "matrix_attention": "dot_product",
            "modeling_layer": encoder(24, 5),
            "span_end_encoder": encoder(39, 4),
            "mask_lstms": False,
        },
        PASSAGE,
        is_span_of_the_passage,
    ),
    "qanet": Case(
        SQUAD,
        "squad.json",
        {
            "text_field_embedder": EMBEDDER,
            "num_highway_layers": 1,
            "phrase_layer": encoder(6, 5),
            "matrix_attention_layer": "dot_product",
            "modeling_layer": encoder(7, 7),
        },
        PASSAGE,
        is_span_of_the_passage,
    ),
    "naqanet": Case(
        {"type": "drop", "tokenizer": BLANK},
        "drop.json",
        {
            "text_field_embedder": EMBEDDER,
            "num_highway_layers": 1,
            "phrase_layer": encoder(6, 6),
            "matrix_attention_layer": "dot_product",
            "modeling_layer": encoder(6, 6),
        },
        {"question": "How many lengths?", "passage": "Lena swam two lengths, Tove swam 3."},
        lambda output: (
            output["answer"]["answer_type"] in ("passage_span", "question_span", "arithmetic", "count")
        ),
    ),
    # The reader marks the previous answer in the passage, and an encoder reads the characters of words.
    "dialog_qa": Case(
        {
            "type": "quac",
            "tokenizer": BLANK,
            "token_indexers": {
                "tokens": "single_id",
                "token_characters": {"type": "characters", "min_padding_length": 3},
            },
            "num_context_answers": 1,
        },
        "quac.json",
        {
            "text_field_embedder": {
                "token_embedders": {
                    "tokens": {"embedding_dim": 8},
                    "token_characters": {
                        "type": "character_encoding",
                        "embedding": {"embedding_dim": 4, "vocab_namespace": "token_characters"},
                        "encoder": encoder(4, 3),
                    },
                }
            },
            "num_context_answers": 1,
            "marker_embedding_dim": 5,
            "phrase_layer": encoder(16, 6),
            "residual_encoder": encoder(6, 6),
            "span_start_encoder": encoder(6, 6),
            "span_end_encoder": encoder(12, 6),
        },
        {
            "paragraphs": [
                {
                    "context": "Emil painted the door green.",
                    "qas": [
                        {
                            "id": id,
                            "question": question,
                            "answers": [ANSWER],
                            "yesno": "x",
                            "followup": "n",
                        }
                        for id, question in (("1", "Who painted it?"), ("2", "Is it green now?"))
                    ],
                }
            ]
        },
        lambda output: [span in PASSAGE["passage"] for span in output["best_span_str"]] == [True, True],
    ),
    "coref": Case(
        {"type": "coref", "max_span_width": 3},
        "ontonotes/stories.gold_conll",
        {
            "text_field_embedder": EMBEDDER,
            "context_layer": encoder(8, 6),
            "mention_feedforward": feedforward(24, 5),
            "antecedent_feedforward": feedforward(76, 5),
            "feature_size": 4,
            "max_span_width": 3,
            "spans_per_word": 0.5,
            "max_antecedents": 4,
            "coarse_to_fine": True,
            "inference_order": 2,
        },
        {"document": "Mira saw a cat. She fed it."},
        lambda output: (
            len(output["document"]) == 9
            and output["top_spans"] != []
            and all(0 <= start <= end < 9 for start, end in output["top_spans"])
        ),
    ),
    "srl": Case(
        {"type": "srl"},
        "ontonotes",
        {"text_field_embedder": EMBEDDER, "encoder": encoder(12, 6), "binary_feature_dim": 4},
        {"sentence": "Tove saw a cat."},
        lambda output: [(verb["verb"], len(verb["tags"])) for verb in output["verbs"]] == [("saw", 5)],
    ),
    "constituency_parser": Case(
        {"type": "ptb_trees"},
        "trees.mrg",
        {
            **PARSER,
            "span_extractor": {"type": "bidirectional_endpoint", "input_dim": 6},
            "feedforward": feedforward(6, 5),
        },
        SENTENCE,
        lambda output: output["tokens"] == ["The", "rain", "fell"] and output["trees"].startswith("("),
    ),
    "biaffine_parser": Case(
        {"type": "universal_dependencies"},
        "trees.conllu",
        {**PARSER, "tag_representation_dim": 5, "arc_representation_dim": 5},
        SENTENCE,
        lambda output: len(output["predicted_heads"]) == 3 and 0 in output["predicted_heads"],
    ),
    "graph_parser": Case(
        {"type": "semantic_dependencies"},
        "graphs.sdp",
        {**PARSER, "tag_representation_dim": 5, "arc_representation_dim": 5},
        None,
        lambda output: (
            len(output["tokens"]) == 5
            and len(output["arcs"]) == len(output["arc_tags"])
            and set(output["arc_tags"]) <= {"BV", "ARG1", "ARG2"}
        ),
    ),
    "simple_seq2seq": Case(
        COMMANDS,
        "commands.tsv",
        {
            "source_embedder": EMBEDDER,
            "encoder": encoder(8, 6),
            "attention": "dot_product",
            "target_namespace": "target_tokens",
            "beam_search": BEAM,
        },
        COMMAND,
        is_command,
    ),
    "composed_seq2seq": Case(
        COMMANDS,
        "commands.tsv",
        {
            "source_text_embedder": EMBEDDER,
            "encoder": encoder(8, 6),
            "decoder": {
                "type": "auto_regressive_seq_decoder",
                "decoder_net": {
                    "type": "lstm_cell",
                    "decoding_dim": 6,
                    "target_embedding_dim": 5,
                    "attention": "dot_product",
                },
                "target_embedder": {"embedding_dim": 5, "vocab_namespace": "target_tokens"},
                "target_namespace": "target_tokens",
                "beam_search": BEAM,
            },
        },
        COMMAND,
        is_command,
    ),
    "copynet_seq2seq": Case(
        {
            "type": "copynet_seq2seq",
            "target_namespace": "target_tokens",
            "source_tokenizer": "whitespace",
        },
        "commands.tsv",
        {
            "source_embedder": EMBEDDER,
            "encoder": encoder(8, 6),
            "attention": {"type": "bilinear", "vector_dim": 6, "matrix_dim": 6},
            "beam_search": BEAM,
        },
        COMMAND,
        is_command,
    ),
    # The model takes no encoder, but its heads do.
    "multitask": Case(
        {
            "type": "multitask",
            "readers": {
                "review": {
                    "type": "text_classification_json",
                    "tokenizer": {"type": "pretrained_transformer", "model_name": "BART"},
                    "token_indexers": {
                        "tokens": {"type": "pretrained_transformer", "model_name": "BART"}
                    },
                }
            },
        },
        "reviews.jsonl",
        {
            "backbone": {
                "type": "pretrained_transformer",
                "model_name": "BART",
                "sub_module": "encoder",
            },
            "heads": {"review": {"type": "classifier", "seq2vec_encoder": encoder(8, 6)}},
            "arg_name_mapping": {"backbone": {"tokens": "text"}},
        },
        None,
        lambda output: (
            output["review_label"] in ("good", "bad") and distribution(output["review_probs"], 2)
        ),
    ),
}

# The models that take an encoder but cannot use an S-LSTM, and why. Each has a test below.
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


def takes_encoder(constructor) -> bool:
    """Return whether a constructor has a parameter of type Seq2SeqEncoder or Seq2VecEncoder."""
    annotations = [str(p.annotation) for p in inspect.signature(constructor).parameters.values()]
    return any("Seq2SeqEncoder" in text or "Seq2VecEncoder" in text for text in annotations)


def classes_with_encoder(registry) -> Set[type]:
    """Return AllenNLP's own classes in a registry that take an encoder."""
    found = set()
    for name in registry.list_available():
        subclass, constructor = registry.resolve_class_name(name)
        own = subclass.__module__.split(".")[0] in ("allennlp", "allennlp_models")
        if own and takes_encoder(getattr(subclass, constructor or "__init__")):
            found.add(subclass)
    return found


def test_no_model_that_takes_an_encoder_is_left_out():
    covered = {name_of(case) for case in CASES}
    assert not covered & set(UNFIT)
    expected = {Model.resolve_class_name(name)[0] for name in (covered | set(UNFIT)) - {"multitask"}}
    assert (
        classes_with_encoder(Model) | {BasicClassifier, CrfTagger} == expected
    )  # the last two are the plugin's
    assert classes_with_encoder(Head) == {Head.by_name("classifier")}  # in the multitask model


@pytest.fixture(scope="session")
def bart(shared):
    """Folder of a tiny BART with random weights, whose tokens are letters."""
    return str(shared("bart", make_bart))


def make_bart(folder):
    words = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", "Ġ", *"abcdefghijklmnopqrstuvwxyz,."]
    (folder / "vocab.json").write_text(json.dumps({word: id for id, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    sizes = {
        f"{side}_{key}": n
        for side in ("encoder", "decoder")
        for key, n in (("layers", 1), ("attention_heads", 2), ("ffn_dim", 8))
    }
    config = transformers.BartConfig(
        vocab_size=len(words), d_model=8, max_position_embeddings=60, forced_eos_token_id=None, **sizes
    )
    transformers.BartForConditionalGeneration(config).save_pretrained(folder)


@pytest.fixture(scope="session")
def pipeline(shared):
    """Folder of a spaCy model for predictors: it splits sentences and knows one verb."""
    nlp = spacy.util.get_lang_class("en")()
    nlp.add_pipe("sentencizer")
    nlp.add_pipe("attribute_ruler").add([[{"ORTH": "saw"}]], {"POS": "VERB"})
    return str(shared("spacy", nlp.to_disk))


def build(case, kind, name=None, bart="BART"):
    """Return reader, instances and model of a case, with encoders of a type."""
    text = json.dumps({"reader": case.reader, "model": {"type": name, **case.model}})
    config = Params(
        json.loads(text.replace('"SWAPPED"', f'"{kind}"').replace('"BART"', json.dumps(bart)))
    )
    torch.manual_seed(0)
    reader = DatasetReader.from_params(config.pop("reader"))
    task = {"force_task": "review"} if name == "multitask" else {}
    instances = list(reader.read(DATA + case.data, **task))
    vocab = Vocabulary.from_instances(instances)
    model = Model.from_params(vocab=vocab, params=config.pop("model"))
    return reader, instances, model


def loss_of(model, instances):
    batch = Batch(instances)
    batch.index_instances(model.vocab)
    return model.train()(**batch.as_tensor_dict())["loss"]


def take_a_step(model, instances, kind, count):
    """Train one step. Check that each weight of the encoders of a type has a gradient and changes."""
    classes = (Seq2SeqEncoder.by_name(kind), Seq2VecEncoder.by_name(kind))
    encoders = [module for module in model.modules() if isinstance(module, classes)]
    assert len(encoders) == count
    weights = [weight for module in encoders for weight in module.parameters()]
    before = [weight.detach().clone() for weight in weights]
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    loss = loss_of(model, instances)
    assert loss.isfinite()
    loss.backward()
    assert all(weight.grad.isfinite().all() and weight.grad.any() for weight in weights)
    optimizer.step()
    assert all(not torch.equal(new, old) for new, old in zip(weights, before))


@pytest.mark.parametrize("kind", ("lstm", "slstm"))
@pytest.mark.parametrize("case", CASES)
def test_one_step_and_one_prediction(case, kind, bart, pipeline):
    name, case = name_of(case), CASES[case]
    reader, instances, model = build(case, kind, name, bart)
    take_a_step(model, instances, kind, count=json.dumps(case.model).count("SWAPPED"))
    if case.question is None:
        output = sanitize(model.forward_on_instance(instances[0]))
    else:
        predictor = Predictor.by_name(model.default_predictor)
        language = inspect.signature(predictor).parameters.get("language")
        needs_model = language is not None and language.default == "en_core_web_sm"
        options = {"language": pipeline} if needs_model else {}
        output = predictor(model, reader, **options).predict_json(case.question)
    assert case.check(output), output


def language_model(contextualizer):
    reader = {
        "type": "simple_language_modeling",
        "tokenizer": "whitespace",
        "start_tokens": ["@@S@@"],
        "end_tokens": ["@@E@@"],
    }
    model = {"text_field_embedder": EMBEDDER, "contextualizer": contextualizer}
    return Case(reader, "lines.txt", model)


@pytest.mark.parametrize("kind", ("lstm", "slstm"))
def test_language_model(kind):
    """It trains, but an S-LSTM's state of the first word depends on the second, the word to predict."""
    reader, instances, model = build(language_model(encoder(8, 6)), kind, "language_model")
    take_a_step(model, instances, kind, count=1)
    model.eval()
    outputs = model.forward_on_instances(
        [reader.text_to_instance(text) for text in ("the tide", "the boats")]
    )
    first, second = (torch.tensor(output["lm_embeddings"][1]) for output in outputs)
    assert torch.equal(first, second) == (kind == "lstm")


def test_bidirectional_language_model():
    name = "bidirectional-language-model"
    with pytest.raises(
        ConfigurationError, match="bidirectional: False, language model bidirectional: T"
    ):
        build(language_model(encoder(8, 6)), "slstm", name)
    both_ways = language_model({**encoder(8, 6), "bidirectional": True})
    with pytest.raises(ConfigurationError, match='slstm has no key "bidirectional"'):
        build(both_ways, "slstm", name)
    _, instances, model = build(both_ways, "lstm", name)
    assert loss_of(model, instances).isfinite()


@pytest.mark.parametrize("kind", ("lstm", "slstm"))
@pytest.mark.parametrize(
    "name, reader",
    [("next_token_lm", "next_token_lm"), ("masked_language_model", "masked_language_modeling")],
)
def test_models_that_fail_with_every_contextualizer(name, reader, kind):
    model = {
        "text_field_embedder": EMBEDDER,
        "language_model_head": {"type": "linear", "input_dim": 8, "vocab_namespace": "tokens"},
        "target_namespace": "tokens",
    }
    case = Case({"type": reader}, "lines.txt", model)
    _, instances, without = build(case, kind, name)
    assert loss_of(without, instances).isfinite()
    _, instances, model = build(
        case._replace(model={**model, "contextualizer": encoder(8, 8)}), kind, name
    )
    with pytest.raises(AttributeError, match="'Tensor' object has no attribute 'items'"):
        loss_of(model, instances)


@pytest.mark.parametrize("kind", ("lstm", "slstm"))
def test_bart(kind, bart):
    tokens = {"type": "pretrained_transformer", "model_name": "BART"}
    no_marks = {
        f"{side}_add_{end}_token": False for side in ("source", "target") for end in ("start", "end")
    }
    reader = {
        "type": "seq2seq",
        "source_tokenizer": tokens,
        "source_token_indexers": {"tokens": {**tokens, "namespace": "tokens"}},
        **no_marks,
    }
    case = Case(reader, "commands.tsv", {"model_name": "BART"})
    _, instances, model = build(case, kind, "bart", bart)
    assert loss_of(model, instances).isfinite()
    case = case._replace(model={"model_name": "BART", "encoder": encoder(8, 8)})
    _, instances, model = build(case, kind, "bart", bart)
    with pytest.raises(TypeError, match="unexpected keyword argument 'head_mask'"):
        loss_of(model, instances)
