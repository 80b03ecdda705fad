"""What is said to the person at the keyboard, and asked."""

from __future__ import annotations

import argparse
from typing import TypeAlias

Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"  # what add_subparsers returns


class Refusal(Exception):
    """One plain sentence for the person at the keyboard: what is wrong, and what to do."""


def say(*lines: str) -> None:
    """Print at once, also into a pipe."""
    print(*lines, sep="\n", flush=True)


def agreed(question: str) -> bool:
    """Ask at the terminal; anything but yes is no."""
    try:
        return input(f"{question} [y/N] ").strip().lower() in ("y", "yes")
    except EOFError:
        return False
