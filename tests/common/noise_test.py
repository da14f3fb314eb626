import sys

from tests.conftest import ROOT, run_program


def test_loading_the_plugin_prints_nothing():
    """Nothing is logged at level INFO or higher, which `allennlp` prints."""
    code = "import logging; logging.basicConfig(level=logging.INFO); "
    code += "import slstm_allennlp, allennlp_models.rc"
    done = run_program([sys.executable, "-c", code], cwd=ROOT)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_name_that_another_package_registers_again_is_still_logged(caplog):
    """The plugin silences only its own registrations."""
    from allennlp.data import Tokenizer

    with caplog.at_level("INFO", logger="allennlp.common.registrable"):
        Tokenizer.register("spacy_blank", exist_ok=True)(Tokenizer.by_name("spacy_blank"))
    assert "spacy_blank has already been registered" in caplog.text
