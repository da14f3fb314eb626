"""What the readers of raw texts share."""

from allennlp.data import Tokenizer

from slstm_allennlp.dataset_readers.lines import Line


def check_text(line: Line, what: str, text: str, tokenizer: Tokenizer) -> None:
    """
    # Errors

    `ValueError` for a text that is blank or of which the tokenizer leaves nothing.
    """
    if not text.strip():
        raise line.error(f"the {what} is empty, expected text")
    # Letters and digits make tokens; the rest is split here and once more for the instance.
    if not any(map(str.isalnum, text)) and not tokenizer.tokenize(text):
        raise line.error(f"the {what} is {text!r}, which has no tokens, expected text")
