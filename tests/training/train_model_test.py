"""Distributed training refuses `evaluate_on_test`. tests/distributed_test.py tests what it learns."""

import pytest
from allennlp.commands.train import train_model_from_file
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins

from slstm_allennlp.training import train_model
from tests.conftest import SMALL

CONFIG = "training_config/pos_slstm.jsonnet"
TWO_PROCESSES = {"distributed": {"cuda_devices": [-1, -1]}}


def test_evaluate_on_test_is_refused_before_the_work(tmp_path):
    import_plugins()
    overrides = {**SMALL, **TWO_PROCESSES, "evaluate_on_test": True}
    with pytest.raises(ConfigurationError, match="evaluate_on_test is true, expected false with dist"):
        train_model_from_file(CONFIG, str(tmp_path / "run"), overrides=overrides)
    assert not (tmp_path / "run").exists()


def test_evaluate_on_test_is_refused_in_a_process(tmp_path, monkeypatch):
    """The first process may load the plugin too late to refuse it before the others start."""
    import_plugins()
    monkeypatch.setattr(train_model, "is_distributed", lambda: True)
    with pytest.raises(ConfigurationError, match="evaluate_on_test is true, expected false with dist"):
        train_model_from_file(CONFIG, str(tmp_path), overrides={**SMALL, "evaluate_on_test": True})
