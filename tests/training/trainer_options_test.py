"""Every trainer option that a config can name trains, and resumes after an interruption, exactly."""

import pytest
from allennlp.common.checks import ConfigurationError
from allennlp.common.plugins import import_plugins
from allennlp.data.samplers import BatchSampler
from allennlp.training import TrainerCallback
from allennlp.training.learning_rate_schedulers import LearningRateScheduler
from allennlp.training.momentum_schedulers import MomentumScheduler
from allennlp.training.moving_average import MovingAverage
from allennlp.training.optimizers import Optimizer

from tests.training.conftest import EVERY_BATCH

SCHEDULERS = {
    "constant": {},
    "constant_with_warmup": {"num_warmup_steps": 2},
    "cosine": {"t_initial": 2},
    "cosine_with_warmup": {"num_warmup_steps": 2, "num_training_steps": 6},
    "cosine_hard_restarts_with_warmup": {"num_warmup_steps": 2, "num_training_steps": 6},
    "combined": {"schedulers": [[1, "polynomial_decay"], [2, {"type": "cosine", "t_initial": 1}]]},
    "exponential": {"gamma": 0.9},
    "linear_with_warmup": {"warmup_steps": 2},
    "multi_step": {"milestones": [1, 2]},
    "noam": {"model_size": 4, "warmup_steps": 2},
    "polynomial_decay": {"warmup_steps": 2},
    "reduce_on_plateau": {"patience": 0, "verbose": True},
    "slanted_triangular": {},
    "step": {"step_size": 1},
}
PLAIN = "adadelta adagrad adam adamax adamw averaged_sgd dense_sparse_adam rmsprop"
OPTIMIZERS = {
    **{name: {} for name in [*PLAIN.split(), "huggingface_adafactor", "huggingface_adamw"]},
    "multi": {
        "optimizers": {"default": "adam", "encoder": {"type": "sgd", "lr": 0.1}},
        "parameter_groups": [[["encoder"], {"optimizer_name": "encoder"}]],
    },
    "sgd": {"lr": 0.1, "momentum": 0.9},
}
WATCHING = "confidence_checks console_logger null sanity_checks track_epoch_callback"
CALLBACKS = {
    **{name: {} for name in WATCHING.split()},
    "should_validate_callback": {"validation_start": 1, "validation_interval": 1},
    "tensorboard": {"distribution_interval": 2},
}
NOT_WORKING = {  # docs/installing.md has it, too
    "adversarial_bias_mitigator_backward": "is for one model, adversarial_bias_mitigator; not tried",
    "mixed_precision_backward": "needs use_amp, and so a GPU",
    "wandb": "needs the package wandb and an account",
}
_OURS = ("tests.", "slstm_allennlp.")  # other tests have these
SPARSE = {"sparse": True}
SPARSE_WORDS = {
    "optimizers": {"default": "adam", "words": "sparse_adam"},
    "parameter_groups": [[["text_field_embedder"], {"optimizer_name": "words"}]],
}
BY_SECONDS = {"save_every_num_seconds": 0.001, "keep_most_recent_by_age": 100}
GROUPS = [[["embedder"], {}], [["encoder", "projection"], {}]]
UNFREEZING = {"discriminative_fine_tuning": True, "gradual_unfreezing": True}
AVERAGE = {"moving_average": {"type": "exponential", "decay": 0.9}}
OTHERS = {
    "grad_norm": {"grad_norm": 1.0},
    "grad_norm: true": {"grad_norm": True},
    "grad_clipping": {"grad_clipping": 0.1},
    "momentum_scheduler": {
        "optimizer": {"type": "sgd", **OPTIMIZERS["sgd"]},
        "momentum_scheduler": {"type": "inverted_triangular", "cool_down": 1, "warm_up": 1},
    },
    "moving_average": AVERAGE,
    "moving_average, after an epoch": {**AVERAGE, "batches": 4, "every": None},
    "validation_metric of the first epoch": {"validation_metric": "+loss"},
    # Of the groups of two batches, an epoch has two.
    "accumulation": {"num_gradient_accumulation_steps": 2, "batches": 3, "every": 1},
    "patience": {"patience": 1},
    "validation_metric list": {"validation_metric": ["+accuracy", "-loss"]},
    "run_confidence_checks": {"run_confidence_checks": True},
    "enable_default_callbacks": {"enable_default_callbacks": False},
    "checkpointer by batches": EVERY_BATCH,
    "checkpointer by seconds": {"checkpointer": BY_SECONDS},
    "discriminative fine-tuning": {
        "optimizer": {"type": "adam", "parameter_groups": GROUPS},
        "learning_rate_scheduler": {"type": "slanted_triangular", **UNFREEZING},
        "is_exact": False,  # AllenNLP does not save which weights are frozen
    },
}


def test_all_names_that_a_config_can_give_are_here():
    import_plugins()  # allennlp_models registers more names
    assert set(LearningRateScheduler.list_available()) == set(SCHEDULERS)
    # "sparse_adam" is only for sparse gradients: its test has another optimizer for the dense ones.
    assert set(Optimizer.list_available()) == {*OPTIMIZERS, "sparse_adam"}
    callbacks = TrainerCallback.list_available()
    ours = {name for name in callbacks if TrainerCallback.by_name(name).__module__.startswith(_OURS)}
    assert set(callbacks) - ours == {*CALLBACKS, *NOT_WORKING}
    assert set(BatchSampler.list_available()) == {"bucket", "max_tokens_sampler"}
    assert MovingAverage.list_available() == ["exponential"]
    assert MomentumScheduler.list_available() == ["inverted_triangular"]


# trainer_test.py tests how sparse gradients are clipped.
OF_SPARSE = {"dense_sparse_adam": {"grad_norm": 0.01}, "sgd": {"grad_norm": True}}
OF_SPARSE["adagrad"] = {"grad_clipping": 0.01}
TABLE = {
    **{name: {"learning_rate_scheduler": {"type": name, **SCHEDULERS[name]}} for name in SCHEDULERS},
    **{name: {"optimizer": {"type": name, **keys}} for name, keys in OPTIMIZERS.items()},
    **{name: {"callbacks": [{"type": name, **CALLBACKS[name]}]} for name in CALLBACKS},
    **OTHERS,
    **{
        f"sparse {name}": {"embedding": SPARSE, "optimizer": {"type": name, "lr": 0.1}, **clip}
        for name, clip in OF_SPARSE.items()
    },
    "sparse_adam": {"embedding": SPARSE, "optimizer": {"type": "multi", **SPARSE_WORDS}},
}


@pytest.mark.parametrize("name", TABLE)
def test_every_option(assert_recovers, name):
    # AllenNLP's should_validate_callback does not save whether it validates.
    assert_recovers(**{"is_exact": name != "should_validate_callback", **TABLE[name]})


@pytest.mark.parametrize(
    "options, message",
    [
        ({"use_amp": True}, "AMP requires a cuda device"),
        ({"num_epoch": 3}, "trainer.num_epoch is no key .*, did you mean 'num_epochs'"),
        ({"zzz": 3}, "trainer.zzz is no key of the trainer, expected one of 'model', "),
        ({"num_epochs": 0}, "trainer.num_epochs is 0, expected 1 or more"),
    ],
    ids=str,
)
def test_what_is_refused(run, tmp_path, options, message):
    with pytest.raises((ConfigurationError, ValueError), match=message):
        run("run", **options)
    assert not list((tmp_path / "run").glob("*.th"))
