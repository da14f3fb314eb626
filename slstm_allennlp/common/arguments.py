"""Checks of sizes and flags. The messages include the wrong value."""

import argparse


def check_sizes(least: int = 1, /, **sizes: object) -> None:
    """Raise `ValueError` unless each of the named sizes is an integer of at least `least`."""
    for name, value in sizes.items():
        if not isinstance(value, int) or isinstance(value, bool) or value < least:
            raise ValueError(f"{name} is {value!r}, expected an integer of at least {least}")


def check_flags(**flags: object) -> None:
    """Raise `ValueError` unless each of the named flags is True or False."""
    for name, flag in flags.items():
        if not isinstance(flag, bool):
            raise ValueError(f"{name} is {flag!r}, expected True or False")


def positive(text: str) -> int:
    """Parse an integer of at least 1, as the type of a command-line argument."""
    if not text.isdigit() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"it is {text!r}, expected a number of at least 1")
    return int(text)
