"""The sentence of a user error."""

from allennlp.common.checks import ConfigurationError

from slstm_allennlp.common.mistakes import users_mistake


def test_a_sentence_changes_no_terminal_and_shows_names_as_they_are():
    names = "نمی\u200cخواهم.txt 日本語.csv C:\\new 👨\u200d👩"
    assert users_mistake(ConfigurationError(f"a\n\x1b[2J\x07 {names}")) == rf"a \x1b[2J\x07 {names}"
    assert users_mistake(FileNotFoundError(2, "none", f"\x1b{names}")) == rf"\x1b{names}: none"
    assert users_mistake(ValueError("x")) is None
