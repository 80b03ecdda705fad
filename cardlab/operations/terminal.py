"""Messages and questions at the terminal."""

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # what add_subparsers returns


class Refusal(Exception):
    """Raised for an error that the user can fix; its text says what is wrong and what to do."""


def say(*lines: str) -> None:
    """Prints lines at once, also into a pipe."""
    print(*lines, sep="\n", flush=True)


def confirm(question: str) -> bool:
    """Asks a question at the terminal; any answer but yes means no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
