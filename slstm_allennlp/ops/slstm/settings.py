"""What an S-LSTM computes: the choices in which the paper and the published code differ, and sizes."""

from dataclasses import dataclass, fields, replace
from typing import Any, Dict, List, Literal, Mapping, Union, get_args, get_type_hints

from slstm_allennlp.common.suggestions import did_you_mean


@dataclass(frozen=True)
class Transition:
    """
    The independent choices in which the paper, the authors' released code and the fastNLP
    re-implementation differ. A preset is one combination of them; see `Transition.of`.

    # Parameters

    candidate : `str`
        What the input gate lets in: `"tanh"`, the candidate u of Eq. 2 with parameters of its own;
        `"input"`, the word's input e itself, without parameters.
    gate_normalization : `str`
        How the gates of Eq. 2 (all but o) and the forget gates of Eq. 3 are normalised:
        `"sigmoid_softmax"`, a softmax over sigmoids, as the paper says; `"softmax"`, over the raw
        pre-activations. The output gates keep their sigmoid in both.
    sentence_forget : `str`
        In Eq. 3, `"separate"` gives f_g and fᵢ parameters of their own, `"shared"` one set for both.
    project_input : `bool`
        Whether e = Linear(d, h)(x) replaces the input x everywhere.
    initial_state : `str`
        Where hᵢ⁰, cᵢ⁰ come from: `"learned"`, one parameter vector h⁰ and one c⁰, shared by the words
        and the sentence nodes; `"input"`, both are e; `"uniform"`, both are drawn from
        U(-0.05, 0.05), anew in each pass, in evaluation too, so that results vary from pass to pass.
        With the last two, g⁰ and c_g⁰ are the means over the words.
    window : `str`
        With a window of more than one word: `"concatenated"`, every neighbour with weights and a
        gate of its own; `"summed"`, the left neighbours summed, the right ones summed, a gate each.
    sentence_vector : `str`
        `"node"`, the first sentence node's g; `"mean"`, the mean of [h₁ … hₙ, g];
        `"sum_over_words"`, (Σ hᵢ + g) / n. Boundary words count as words.
    boundary : `bool`
        Whether learned inputs ⟨s⟩ and ⟨/s⟩ are put around the sentence.
    initialization : `str`
        `"normal"`, N(0, 0.1²) for every weight and bias, as the authors' code has it (the paper does
        not say); `"linear"`, PyTorch's default for `torch.nn.Linear`, U(-1/√fan_in, 1/√fan_in).

    # Errors

    `ValueError` for a value that is not one of those listed.
    """

    candidate: Literal["tanh", "input"] = "tanh"
    gate_normalization: Literal["sigmoid_softmax", "softmax"] = "sigmoid_softmax"
    sentence_forget: Literal["separate", "shared"] = "separate"
    project_input: bool = False
    initial_state: Literal["learned", "input", "uniform"] = "learned"
    window: Literal["concatenated", "summed"] = "concatenated"
    sentence_vector: Literal["node", "mean", "sum_over_words"] = "node"
    boundary: bool = True
    initialization: Literal["normal", "linear"] = "normal"

    def __post_init__(self) -> None:
        for name, kind in get_type_hints(type(self)).items():
            value, allowed = getattr(self, name), get_args(kind) or (False, True)
            # `in` alone would take 0 and 1 for False and True.
            if not any(value == choice and type(value) is type(choice) for choice in allowed):
                raise ValueError(f"transition: {name} is {value!r}{did_you_mean(value, allowed)}")

    @classmethod
    def of(cls, transition: "Union[str, Mapping[str, Any], Transition]") -> "Transition":
        """
        A transition by the name of its preset, `"paper"`, `"released"`, `"fastnlp"` or
        `"balanced"`; or by a mapping of choices to values, with the preset that they start from under
        `"preset"` (default `"paper"`): `{"preset": "released", "initial_state": "uniform"}`.

        # Errors

        `ValueError` for an unknown preset, choice or value.
        """
        if isinstance(transition, Transition):
            return transition
        choices = dict(transition) if isinstance(transition, Mapping) else {"preset": transition}
        preset = choices.pop("preset", "paper")
        if not isinstance(preset, str) or preset not in PRESETS:
            raise ValueError(f"transition: unknown preset {preset!r}{did_you_mean(preset, PRESETS)}")
        known = [field.name for field in fields(cls)]
        for name in choices:
            if name not in known:
                raise ValueError(f"transition: unknown choice {name!r}{did_you_mean(name, known)}")
        return replace(PRESETS[preset], **choices)


# The re-implementation in fastNLP.
_FASTNLP = Transition(
    candidate="input",
    gate_normalization="softmax",
    sentence_forget="shared",
    project_input=True,
    initial_state="input",
    sentence_vector="sum_over_words",
    boundary=False,
    initialization="linear",
)

PRESETS: Dict[str, Transition] = {
    # The paper, Eqs. 2 and 3.
    "paper": Transition(),
    # The authors' TensorFlow code. For tagging it starts from `initial_state: "uniform"`.
    "released": Transition(
        candidate="input",
        initial_state="input",
        window="summed",
        sentence_vector="mean",
        boundary=False,
    ),
    "fastnlp": _FASTNLP,
    # This project's own: with the paper's start and the authors' initialisation, chosen on the dev sets
    # of tags (EWT) and pairs (SICK) and tested on others: docs/results_slstm.md.
    "balanced": replace(_FASTNLP, initial_state="learned", initialization="normal"),
}


@dataclass(frozen=True)
class SlstmSettings:
    """
    The sizes and the transition of one S-LSTM, checked. Arguments as in `SentenceStateLSTM`, but
    that `transition` is a `Transition`, which settles `boundary`.

    # Errors

    `ValueError` that names the argument, its value and what is expected.
    """

    input_size: int
    hidden_size: int
    num_steps: int
    window_size: int
    num_sentence_nodes: int
    transition: Transition
    layer_norm: bool

    def __post_init__(self) -> None:
        for name, least in (
            ("input_size", 1),
            ("hidden_size", 1),
            ("num_steps", 1),
            ("window_size", 1),
            ("num_sentence_nodes", 0),
        ):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < least:
                raise ValueError(f"{name} is {value!r}, expected an integer of at least {least}")
        if not isinstance(self.layer_norm, bool):
            raise ValueError(f"layer_norm is {self.layer_norm!r}, expected True or False")
        # A word's input itself goes into its cell, or is its first state.
        takes_input = "input" in (self.transition.candidate, self.transition.initial_state)
        if takes_input and not self.transition.project_input and self.input_size != self.hidden_size:
            raise ValueError(
                f"input_size is {self.input_size} and hidden_size is {self.hidden_size}, expected "
                "equal sizes, since this transition puts a word's input itself into its cell"
            )

    @property
    def boundary(self) -> bool:
        """Whether ⟨s⟩ and ⟨/s⟩ are put around the sentence."""
        return self.transition.boundary

    @property
    def gate_input_size(self) -> int:
        """The size of what the gates read as the word's input: h where it is projected, else d."""
        return self.hidden_size if self.transition.project_input else self.input_size

    @property
    def neighbor_gates(self) -> List[str]:
        """The gates of a word's neighbours and its own f, in the order of ξ: lₖ … l₁, f, r₁ … rₖ."""
        reach = 1 if self.transition.window == "summed" else self.window_size
        distances = range(1, reach + 1)
        return [f"l{d}" for d in reversed(distances)] + ["f"] + [f"r{d}" for d in distances]

    @property
    def normalized_gates(self) -> List[str]:
        """The gates of Eq. 2 that sum to one: the neighbours', one a sentence node, the input's."""
        nodes = [f"s{node}" for node in range(1, self.num_sentence_nodes + 1)]
        return [*self.neighbor_gates, *nodes, "i"]

    @property
    def word_gates(self) -> List[str]:
        """Every gate of Eq. 2, in the order in which their weights are stacked."""
        candidate = ["u"] if self.transition.candidate == "tanh" else []
        return [*self.normalized_gates, "o", *candidate]

    @property
    def sentence_gates(self) -> List[str]:
        """A node's gates of Eq. 3, in the order in which their weights are stacked: `g` is f_g's."""
        return ["f", "o"] if self.transition.sentence_forget == "shared" else ["f", "o", "g"]
