"""Messages to the person at the terminal, and questions."""

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # what add_subparsers returns


class Refusal(Exception):
    """An error that the person at the terminal can fix; its text says what is wrong and what to do."""


def say(*lines: str) -> None:
    """Prints lines at once, also into a pipe."""
    print(*lines, sep="\n", flush=True)


def confirm(question: str) -> bool:
    """Asks at the terminal; any answer but yes means no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
