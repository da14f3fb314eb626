import copy
import hashlib
import inspect
import itertools
import json
import logging
import os
from contextlib import nullcontext
from pathlib import Path
from typing import Any, Dict, List, Optional, Sequence, Tuple, Union

import torch
from allennlp.common import cached_transformers
from allennlp.common.checks import ConfigurationError
from allennlp.modules.token_embedders import TokenEmbedder
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoConfig, AutoModel, PreTrainedTokenizerFast

from slstm_allennlp.ops.precision import autocast_dtype, computes_in_bfloat16
from slstm_allennlp.security.opening import TRUST, is_restricted
from slstm_allennlp.token_indexers.utf8_indexer import words_of
from slstm_allennlp.vectors.feature_store import FeatureStore, open_store
from slstm_allennlp.vectors.kept_files import keep, kept_folder, save_in_half_precision
from slstm_allennlp.vectors.packages import cache_folder, place_of

logger = logging.getLogger(__name__)
_SPECIAL_TOKENS = 2  # in each segment, such as [CLS] and [SEP]
# Word pieces of a pass on a CPU: the states of more do not stay in the processor's cache, and long texts
# take up to twice as long.
_TOGETHER = 1000


@TokenEmbedder.register("transformer_features")
class TransformerFeatures(TokenEmbedder):
    """
    Embed words with a pretrained transformer such as BERT. A word is the mean of the hidden states of
    its word pieces, in the last layer or in the given `layers`, concatenated. Texts longer than
    `max_length` are split into segments.

    The token indexer is `utf8`, so that a config names the transformer only once. The features of a
    frozen transformer are computed once per text, cached in half precision, and shared by all epochs and
    runs on a machine. An archive holds the weights, the tokenizer and the config of the transformer, and
    loads without its folder. `ConfigurationError` for a transformer without a fast tokenizer, for an
    argument out of range, and for a given `cache` that cannot be opened. A transformer that is not found
    is transformers' `OSError`, in `slstm` one sentence.

    # Parameters

    model_name : `str`
        An installed package (`"all-MiniLM-L6-v2"`), a folder with config.json, the tokenizer's files and
        the weights, or a name on the Hugging Face hub.
    layers : `List[int]`, optional (default = `None`)
        The layers whose hidden states are concatenated: 0 is the input of the first layer, 1 the first
        layer, -1 the last. Default: the last layer only. Middle layers keep more of a word's form, and,
        in a model fine-tuned for another task, more of what that task does not need. If the transformer
        has its layers in `encoder.layer`, as BERT and RoBERTa do, higher layers are removed: they are
        neither computed nor archived.
    max_length : `int`, optional (default = `512`)
        The length of a segment in word pieces, including the two special tokens.
    train_parameters : `bool`, optional (default = `False`)
        Whether to fine-tune the transformer. If so, its dropout is active and nothing is cached.
    cache : `Union[bool, str]`, optional (default = `True`)
        The folder of the cache. True: `features` in the package's cache folder (`SLSTM_ALLENNLP_CACHE`,
        or `slstm_allennlp` in the user's cache folder), also in the place of a folder that the config of
        an untrusted archive names. False: no cache.
    cache_gigabytes : `float`, optional (default = `8.0`)
        The maximum size of the cache. 1,000 words of 384 dimensions take 0.77 MB.
    half_precision : `bool`, optional (default = `False`)
        Whether to save the weights in half precision, in checkpoints and the archive. It requires
        `train_parameters` false.
    bfloat16 : `bool`, optional (default = `None`)
        Whether to compute in bfloat16, on a processor that has instructions for it (AVX512-BF16 or AMX).
        This takes about half of the time, and changes features by less than 1 %. Elsewhere the
        precision is that of the weights. By default, true for a frozen transformer alone.
    serialization_dir : `str`, optional (default = `None`)
        The folder of the model; AllenNLP sets it.
    """

    def __init__(
        self,
        model_name: str,
        layers: Optional[List[int]] = None,
        max_length: int = 512,
        train_parameters: bool = False,
        cache: Union[bool, str] = True,
        cache_gigabytes: float = 8.0,
        half_precision: bool = False,
        bfloat16: Optional[bool] = None,
        serialization_dir: Optional[str] = None,
    ) -> None:
        super().__init__()
        if half_precision and train_parameters:
            raise ConfigurationError(
                "transformer_features: half_precision is true, expected false where training changes "
                "the weights"
            )
        if cache_gigabytes <= 0:
            raise ConfigurationError(
                f"transformer_features: cache_gigabytes is {cache_gigabytes}, expected a number above 0 "
                "(cache: false is for no cache)"
            )
        if isinstance(cache, str) and is_restricted():
            logger.warning(
                "the archive's cache %s is not used, but the default one (%s=1 trusts the archive)",
                *(cache, TRUST),
            )
            cache = True
        archived = kept_folder(serialization_dir, f"transformer-{model_name}")
        folder = _folder_of(model_name)
        self._lacks_weights = folder is None and archived is not None and archived.exists()
        if self._lacks_weights:
            # Do not run code from an untrusted archive.
            config = AutoConfig.from_pretrained(archived, trust_remote_code=False)
            self.transformer = AutoModel.from_config(config)
            self._tokenizer = PreTrainedTokenizerFast.from_pretrained(archived)
        else:
            source = folder or model_name
            self.transformer = cached_transformers.get(source, make_copy=True)
            self._tokenizer = cached_transformers.get_tokenizer(source)
            if getattr(self._tokenizer, "add_prefix_space", True) is False:
                # RoBERTa and GPT-2 mark the start of a word by a space, which split words lack.
                self._tokenizer = cached_transformers.get_tokenizer(source, add_prefix_space=True)
            self._tokenizer = copy.deepcopy(self._tokenizer)  # a call sets its max_length
        # Features depend on the text alone, not on what is padded beside it.
        self._had_left_side = "left" in (self._tokenizer.padding_side, self._tokenizer.truncation_side)
        self._tokenizer.padding_side = self._tokenizer.truncation_side = "right"
        # Its check for a mask, which is always given, imports torch._dynamo: three seconds.
        self.transformer.warn_if_padding_and_no_attention_mask = _nothing
        if not self._tokenizer.is_fast:
            raise ConfigurationError(
                f'transformer_features: the tokenizer of "{model_name}" does not say of which word a '
                "piece is, expected a fast one (tokenizer.json)"
            )
        positions = getattr(self.transformer.config, "max_position_embeddings", max_length)
        embeddings = getattr(self.transformer, "embeddings", None)
        padding = getattr(getattr(embeddings, "position_embeddings", None), "padding_idx", None)
        if padding is not None:  # RoBERTa counts from the position after that of padding
            positions -= padding + 1
        if not _SPECIAL_TOKENS < max_length <= positions:
            raise ConfigurationError(
                f"transformer_features: max_length is {max_length}, expected {_SPECIAL_TOKENS + 1} to "
                f'{positions}, the most that "{model_name}" reads'
            )
        self._layers: Optional[List[int]] = None
        if layers is not None:
            last = self.transformer.config.num_hidden_layers
            self._layers = _non_negative(layers, last, model_name)
            _remove_layers_above(max(self._layers), self.transformer)
        self.transformer.requires_grad_(train_parameters)
        self._arguments = list(inspect.signature(self.transformer.forward).parameters)
        self._max_length = max_length
        wants_bfloat16 = not train_parameters if bfloat16 is None else bfloat16
        self._bfloat16 = wants_bfloat16 and bool(computes_in_bfloat16())
        self._cache = cache
        self._cache_gigabytes = cache_gigabytes
        self.adds_to_cache = True  # predictors set it to false
        self._archived = archived
        self._fingerprint: Tuple[Any, bytes] = (None, b"")
        # For calls in bfloat16. In a tuple, it is not a submodule.
        self._low: Tuple[Any, torch.nn.Module] = (None, self.transformer)
        if half_precision:
            save_in_half_precision(self)
        self._register_state_dict_hook(_save_files)
        self.train()

    @property
    def _is_frozen(self) -> bool:
        return not any(weight.requires_grad for weight in self.transformer.parameters())

    def get_output_dim(self) -> int:
        return self.transformer.config.hidden_size * (1 if self._layers is None else len(self._layers))

    def train(self, mode: bool = True) -> "TransformerFeatures":
        """Set the mode, but keep a frozen transformer in evaluation mode, without dropout."""
        super().train(mode)
        if self._is_frozen:
            self.transformer.eval()
        return self

    def forward(self, token_ids: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        """
        Return the features of words from the token indexer `utf8`, *Shape:* (batch_size, num_words,
        size). *Shape* of `token_ids`: (batch_size, num_bytes), of `mask`: (batch_size, num_words).
        """
        if self._lacks_weights:
            raise ConfigurationError(
                "transformer_features: the transformer is not here and no weights were loaded, expected "
                "its folder or an archive with them"
            )
        texts = words_of({"token_ids": token_ids, "mask": mask})
        features = self._cached_features(texts) if self._is_frozen else self._compute(texts)
        # To a GPU in one copy.
        weight = next(self.transformer.parameters())
        padded = pad_sequence(features, batch_first=True).to(weight.device).to(weight.dtype)
        missing = mask.shape[1] - padded.shape[1]
        return torch.nn.functional.pad(padded, (0, 0, 0, missing)) if missing else padded

    def _cached_features(self, texts: Sequence[Sequence[str]]) -> List[torch.Tensor]:
        """
        Return the features of each text, cached or new, on the CPU in half precision. If the default
        cache cannot be used, warn and compute them each time.
        """
        cache = self._cache  # another thread may find that it cannot be used
        if not cache:
            return self._compute(texts)
        keys = self._keys_of(texts)
        try:
            store = self._store(cache)
            found = dict(zip(keys, store.get(keys) if store else [None] * len(keys)))
        except ConfigurationError as error:
            if cache is not True:
                raise
            logger.warning("%s; until then, features are computed each time", error)
            self._cache = False
            return self._compute(texts)
        new = {key: words for key, words in zip(keys, texts) if found[key] is None}
        if new:
            with torch.no_grad():
                computed = self._compute(list(new.values()))
            of_all = torch.cat(computed).half().cpu()  # from a GPU in one copy
            parts = of_all.split([len(one) for one in computed])
            arrays = {key: one.numpy() for key, one in zip(new, parts)}
            if store and self.adds_to_cache:
                store.put(arrays)
            found.update(arrays)
        return [torch.from_numpy(found[key]) for key in keys]

    def _compute(self, texts: Sequence[Sequence[str]]) -> List[torch.Tensor]:
        """Average the word pieces of each word; zeros for no piece. *Shape:* (num_words, size) each"""
        pieces = self._tokenizer(
            # Tokenizers reject lone surrogates.
            [[_encoded(word).decode() for word in words] for words in texts],
            is_split_into_words=True,
            truncation=True,
            max_length=self._max_length,
            return_overflowing_tokens=True,
            return_attention_mask=True,
            padding=True,
            return_tensors="pt",
        )
        lengths = [len(words) for words in texts]
        starts = [0, *itertools.accumulate(lengths)]
        # The word of all texts that each piece of a segment is in; -1 for special tokens and padding.
        text_of = pieces.pop("overflow_to_sample_mapping").tolist()
        words = torch.tensor(
            [
                [-1 if word is None else starts[text] + word for word in pieces.word_ids(segment)]
                for segment, text in enumerate(text_of)
            ]
        )
        inputs = {key: tensor for key, tensor in pieces.items() if key in self._arguments}
        states, word_of = self._states(inputs, pieces["attention_mask"].bool(), words)
        sums = states.new_zeros(sum(lengths), states.size(1)).index_add(0, word_of, states)
        numbers = word_of.bincount(minlength=sum(lengths)).clamp(min=1)
        return list((sums / numbers.unsqueeze(1)).split(lengths))

    def _states(
        self, inputs: Dict[str, torch.Tensor], mask: torch.Tensor, words: torch.Tensor
    ) -> Tuple[torch.Tensor, torch.Tensor]:
        """
        Return the states of all pieces of words, layers concatenated, and the word that each is in.
        *Shape* of the arguments: (segments, num_pieces), of the results: (pieces, size) and (pieces,)
        """
        device = next(self.transformer.parameters()).device
        is_low = self._uses_bfloat16()
        transformer = self._with_low_weights() if is_low and self._is_frozen else self.transformer
        segments, num_pieces = mask.shape
        together = max(1, _TOGETHER // num_pieces) if device.type == "cpu" else segments
        states, word_of = [], []
        with torch.autocast("cpu", torch.bfloat16) if is_low else nullcontext():
            for group in mask.sum(1).argsort().split(together):  # of like lengths
                columns = mask[group].any(0)
                columns[:1] |= ~columns.any()  # some tokenizers have no pieces for an empty text
                of_group = {key: tensor[group][:, columns].to(device) for key, tensor in inputs.items()}
                if self._layers is None:
                    found = transformer(**of_group).last_hidden_state
                else:
                    by_layer = transformer(**of_group, output_hidden_states=True).hidden_states
                    found = torch.cat([by_layer[layer] for layer in self._layers], dim=-1)
                of_words = words[group][:, columns].to(device)
                is_word = of_words >= 0
                states.append(found[is_word])
                word_of.append(of_words[is_word])
        return torch.cat(states), torch.cat(word_of)

    def _with_low_weights(self) -> torch.nn.Module:
        """
        Return a copy that shares all weights but those of products, which are in bfloat16. Autocast
        would convert these in every call: with AMX, that takes longer than the products of a sentence.
        """
        versions = self._versions()
        if self._low[0] != versions:
            shared = {id(weight): weight for weight in self.transformer.parameters()}
            copied = copy.deepcopy(self.transformer, shared)
            for module in copied.modules():
                if isinstance(module, torch.nn.Linear):
                    for name, weight in module.named_parameters():
                        low = torch.nn.Parameter(weight.detach().bfloat16(), requires_grad=False)
                        setattr(module, name, low)
            self._low = versions, copied
        return self._low[1]

    def _versions(self) -> List[Tuple[int, int]]:
        """Return what changes with the weights, unless code writes to their `.data`."""
        return [(weight.data_ptr(), weight._version) for weight in self.transformer.parameters()]

    def _uses_bfloat16(self) -> bool:
        return self._bfloat16 and next(self.transformer.parameters()).device.type == "cpu"

    def _autocast(self) -> Optional[torch.dtype]:
        return autocast_dtype(next(self.transformer.parameters()).device)

    def _keys_of(self, texts: Sequence[Sequence[str]]) -> List[bytes]:
        decides = self._versions(), self._autocast()
        if self._fingerprint[0] != decides:
            self._fingerprint = decides, self._hash_of_model()
        start = self._fingerprint[1]
        return [
            # A byte that UTF-8 never uses is between the words.
            hashlib.sha256(start + b"%d " % len(words) + b"\xff".join(map(_encoded, words))).digest()
            for words in texts
        ]

    def _hash_of_model(self) -> bytes:
        """Hash everything that the features depend on, except the text."""
        config = self.transformer.config.to_dict()
        tokenizer = json.loads(self._tokenizer.backend_tokenizer.to_str())
        config.pop("_name_or_path", None)
        for name in ("truncation", "padding"):  # set by the last call
            tokenizer.pop(name, None)
        settings = [self._max_length, type(self.transformer).__name__, config, tokenizer]
        if self._layers is not None:
            settings.append(self._layers)
        if self._had_left_side:  # earlier features in the cache depended on others
            settings.append("from the left")
        types = "token_type_ids"
        if types in self._arguments and types not in self._tokenizer.model_input_names:
            settings.append("without types")
        if self._uses_bfloat16():
            settings.append("bfloat16")
        elif self._autocast() is not None:
            settings.append(f"autocast to {self._autocast()}")
        digest = hashlib.sha256(json.dumps(settings, sort_keys=True, default=str).encode())
        for weight in self.transformer.state_dict().values():
            digest.update(weight.cpu().contiguous().flatten().view(torch.uint8).numpy().tobytes())
        return digest.digest()

    def _store(self, cache: Union[bool, str]) -> Optional[FeatureStore]:
        """Open the cache, if there is anything to read or add."""
        folder = cache_folder() / "features" if cache is True else Path(str(cache)).expanduser()
        size = self.get_output_dim()
        if not self.adds_to_cache and not os.path.exists(folder / f"{size}"):
            return None
        return open_store(folder / f"{size}", size, self._cache_gigabytes)

    def _load_from_state_dict(self, *args: Any, **kwargs: Any) -> None:
        super()._load_from_state_dict(*args, **kwargs)
        self._lacks_weights = False


def _folder_of(name: str) -> Optional[str]:
    """Return the folder of a local transformer; None for a name on the hub."""
    place = place_of(name)
    if place is None or not place.is_dir():
        return None
    configs = [place / "config.json", *sorted(place.glob("*/config.json"))]
    return str(next((path.parent for path in configs if path.is_file()), place))


def _non_negative(layers: List[int], last: int, model_name: str) -> List[int]:
    """Convert negative layer numbers to non-negative ones; `last` is the number of the last layer."""
    if not layers or any(type(layer) is not int or not -last - 1 <= layer <= last for layer in layers):
        raise ConfigurationError(
            f"transformer_features: layers is {layers}, expected a list of numbers from 0 to {last}, "
            f'the last layer of "{model_name}", or from -1 for that down to {-last - 1}'
        )
    return [layer % (last + 1) for layer in layers]


def _remove_layers_above(last: int, transformer: torch.nn.Module) -> None:
    """Remove higher layers, unless this changes the states: some transformers end with a norm."""
    stack = getattr(getattr(transformer, "encoder", None), "layer", None)
    if not isinstance(stack, torch.nn.ModuleList) or len(stack) <= last:
        return
    before = _states_of(last, transformer)
    above = stack[last:]
    del stack[last:]
    if not torch.equal(_states_of(last, transformer), before):
        stack.extend(above)


@torch.no_grad()
def _states_of(layer: int, transformer: torch.nn.Module) -> torch.Tensor:
    """Return the states of a layer for a short text."""
    pieces = torch.arange(4).unsqueeze(0)
    output = transformer.eval()(
        input_ids=pieces, attention_mask=torch.ones_like(pieces), output_hidden_states=True
    )
    return output.hidden_states[layer]


def _nothing(*_: Any) -> None:
    pass


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "ignore")


def _save_files(module: TransformerFeatures, *_: Any) -> None:
    """Save the config and the tokenizer in the archive, when the weights are saved."""

    def write(folder: Path) -> None:
        module.transformer.config.save_pretrained(folder)
        tokenizer = module._tokenizer
        PreTrainedTokenizerFast(
            tokenizer_object=tokenizer.backend_tokenizer,
            model_input_names=tokenizer.model_input_names,
            **tokenizer.special_tokens_map,
        ).save_pretrained(folder)

    keep(module._archived, write)
