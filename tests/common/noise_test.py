import subprocess
import sys
import warnings

import pytest

from slstm_allennlp.common.noise import silence_known_warnings
from tests.conftest import ROOT


def test_only_what_is_known_is_silenced():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        silence_known_warnings()
        for module, category, text in (
            ("allennlp.training.x", FutureWarning, "`torch.cuda.amp.autocast(args...)` is deprecated."),
            ("torchvision.io.image", UserWarning, "Failed to load image Python extension: 'x'"),
            ("rouge.rouge", UserWarning, "pkg_resources is deprecated as an API."),
            (
                "google.api_core",
                FutureWarning,
                "You are using a non-supported Python version (3.10.13). See google.api_core.",
            ),
            ("allennlp.training.x", FutureWarning, "something else"),
            ("mine", FutureWarning, "`torch.cuda.amp.autocast(args...)` is deprecated."),
        ):
            warnings.warn_explicit(text, category, "x.py", 1, module=module)
    assert [str(warning.message)[:14] for warning in caught] == ["something else", "`torch.cuda.am"]


@pytest.mark.parametrize(
    "what",
    [
        pytest.param("slstm_allennlp", marks=pytest.mark.slow),  # the next one covers this
        "slstm_allennlp, allennlp_models.rc",
    ],
)
def test_loading_the_plugin_prints_nothing(what):
    """Nothing is logged at level INFO or higher, which `allennlp` prints."""
    code = f"import logging; logging.basicConfig(level=logging.INFO); import {what}"
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_name_that_another_package_registers_again_is_still_logged(caplog):
    """The plugin silences only its own registrations."""
    from allennlp.data import Tokenizer

    with caplog.at_level("INFO", logger="allennlp.common.registrable"):
        Tokenizer.register("spacy_blank", exist_ok=True)(Tokenizer.by_name("spacy_blank"))
    assert "spacy_blank has already been registered" in caplog.text
