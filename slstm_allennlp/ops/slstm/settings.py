"""The settings of an S-LSTM: its sizes, and the choices in which the paper and published code differ."""

from dataclasses import dataclass, fields, replace
from typing import Any, Dict, List, Literal, Mapping, Union, get_args, get_type_hints

from slstm_allennlp.common.arguments import check_flags, check_sizes
from slstm_allennlp.common.suggestions import did_you_mean


@dataclass(frozen=True)
class Transition:
    """
    The independent choices in which the paper, the authors' released code and the fastNLP
    re-implementation differ. A preset is one combination of them; see `Transition.of`. `ValueError` for
    a value that is not one of those listed.

    # Parameters

    candidate : `str`
        What the input gate multiplies: `"tanh"`, the candidate u of Eq. 2, which has its own parameters;
        `"input"`, the word's input e itself, without parameters.
    gate_normalization : `str`
        How the gates of Eq. 2 (all but o) and the forget gates of Eq. 3 are normalised:
        `"sigmoid_softmax"`, a softmax of the sigmoids, as in the paper; `"softmax"`, a softmax of the
        raw pre-activations. The output gates have a sigmoid in both.
    sentence_forget : `str`
        In Eq. 3, `"separate"` gives f_g and fᵢ separate parameters, `"shared"` one set for both.
    project_input : `bool`
        Whether e = Linear(d, h)(x) replaces the input x everywhere.
    initial_state : `str`
        The initial hᵢ⁰ and cᵢ⁰: `"learned"`, one parameter vector h⁰ and one c⁰, shared by the words
        and the sentence nodes; `"input"`, both are e; `"uniform"`, both are drawn from U(-0.05, 0.05)
        in every forward pass, also in evaluation, so results are random. With the last two, g⁰ and c_g⁰
        are the means over the words.
    window : `str`
        For a `window_size` above 1: `"concatenated"`, every neighbour has its own weights and gate;
        `"summed"`, left neighbours are summed and right neighbours are summed, with one gate per side.
    sentence_vector : `str`
        `"node"`, the first sentence node's g; `"mean"`, the mean of [h₁ … hₙ, g];
        `"sum_over_words"`, (Σ hᵢ + g) / n. Words include boundary words.
    boundary : `bool`
        Whether learned inputs ⟨s⟩ and ⟨/s⟩ are put around the sentence.
    initialization : `str`
        `"normal"`, N(0, 0.1²) for every weight and bias, as in the authors' code (the paper does not
        say); `"linear"`, PyTorch's default for `torch.nn.Linear`, U(-1/√fan_in, 1/√fan_in).
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
            # `value in allowed` would accept 0 and 1 for False and True.
            if not any(value == choice and type(value) is type(choice) for choice in allowed):
                raise ValueError(f"transition: {name} is {value!r}{did_you_mean(value, allowed)}")

    @classmethod
    def of(cls, transition: "Union[str, Mapping[str, Any], Transition]") -> "Transition":
        """
        Return a transition from the name of a preset, `"paper"`, `"released"`, `"fastnlp"` or
        `"balanced"`, or from a mapping such as `{"preset": "released", "initial_state": "uniform"}`: the
        choices in which it differs from the preset, which is `"paper"` by default. `ValueError` for an
        unknown preset, choice or value.
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
        candidate="input", initial_state="input", window="summed", sentence_vector="mean", boundary=False
    ),
    "fastnlp": _FASTNLP,
    # This project's own: fastNLP's with the paper's initial state and the authors' initialisation,
    # chosen on the dev sets of EWT (tagging) and SICK (pairs), tested on others: docs/results_slstm.md.
    "balanced": replace(_FASTNLP, initial_state="learned", initialization="normal"),
}


@dataclass(frozen=True)
class SlstmSettings:
    """
    The validated sizes and transition of one S-LSTM. Arguments as in `SentenceStateLSTM`, except that
    `transition` is a `Transition`, which includes `boundary`. `ValueError` that names the argument, its
    value and what is expected.
    """

    input_size: int
    hidden_size: int
    num_steps: int
    window_size: int
    num_sentence_nodes: int
    transition: Transition
    layer_norm: bool

    def __post_init__(self) -> None:
        check_sizes(
            input_size=self.input_size,
            hidden_size=self.hidden_size,
            num_steps=self.num_steps,
            window_size=self.window_size,
        )
        check_sizes(0, num_sentence_nodes=self.num_sentence_nodes)
        check_flags(layer_norm=self.layer_norm)
        # The input is added to the cell, or is the initial state.
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
        """The size of the input that the gates read: h if it is projected, else d."""
        return self.hidden_size if self.transition.project_input else self.input_size

    @property
    def neighbor_gates(self) -> List[str]:
        """The gates of the neighbours and of the word itself, in the order of ξ: lₖ … l₁, f, r₁ … rₖ."""
        reach = 1 if self.transition.window == "summed" else self.window_size
        distances = range(1, reach + 1)
        return [f"l{d}" for d in reversed(distances)] + ["f"] + [f"r{d}" for d in distances]

    @property
    def normalized_gates(self) -> List[str]:
        """The gates of Eq. 2 that sum to one: `neighbor_gates`, one per sentence node, and i."""
        nodes = [f"s{node}" for node in range(1, self.num_sentence_nodes + 1)]
        return [*self.neighbor_gates, *nodes, "i"]

    @property
    def word_gates(self) -> List[str]:
        """All gates of Eq. 2, and the candidate u, in the order in which their weights are stacked."""
        candidate = ["u"] if self.transition.candidate == "tanh" else []
        return [*self.normalized_gates, "o", *candidate]

    @property
    def sentence_gates(self) -> List[str]:
        """A node's gates of Eq. 3, in the order in which their weights are stacked; `g` is f_g."""
        return ["f", "o"] if self.transition.sentence_forget == "shared" else ["f", "o", "g"]
