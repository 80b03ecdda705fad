"""Defines the class of a finding of the verification."""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """A sentence about a file, a line of it (None: the whole file), and a hand ("": none)."""

    file: str
    line: int | None
    hand: str
    sentence: str

    def __str__(self) -> str:
        place = self.file if self.line is None else f"{self.file}, line {self.line}"
        return f"{place}: {f'hand {self.hand}: ' if self.hand else ''}{self.sentence}"
