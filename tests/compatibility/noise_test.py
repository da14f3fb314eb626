import warnings

from slstm_allennlp.compatibility.noise import silence_known_warnings


def test_only_the_warning_about_autocast_is_silenced():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        silence_known_warnings()
        for module, text in (
            ("allennlp.training.x", "`torch.cuda.amp.autocast(args...)` is deprecated."),
            ("allennlp.training.x", "something else"),
            ("mine", "`torch.cuda.amp.autocast(args...)` is deprecated."),
        ):
            warnings.warn_explicit(text, FutureWarning, "x.py", 1, module=module)
    assert [str(warning.message)[:14] for warning in caught] == ["something else", "`torch.cuda.am"]
