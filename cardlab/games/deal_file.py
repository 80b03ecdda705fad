"""Reads deal files, which have the same format in all games: one deal per line, as ``dealing`` writes it.

Blank lines and comments (``//``, ``;`` or ``#``) are skipped; cards may be in lower case.
"""

import re
from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase
from typing import NamedTuple

from cardlab.games.contract import BadFile
from cardlab.games.text_file import is_blank_or_comment, numbered_lines

_CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)


_WORD = re.compile(r"[^\s|]+")


class BadDeal(ValueError):
    """A text is not a valid deal; ``at`` is the position of the error, in characters from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


class Section(NamedTuple):
    """A section of a deal: its words, each with its position in the text, and the position of its end."""

    words: tuple[tuple[str, int], ...]
    end: int

    @property
    def values(self) -> tuple[str, ...]:
        """The words alone."""
        return tuple(word for word, _position in self.words)


def split_sections(text: str, count: int, names: str) -> list[Section]:
    """Splits a deal at ``|`` into ``count`` sections, called ``names``. Raises BadDeal for another number."""
    sections, start = [], 0
    for part in text.split("|"):
        words = tuple((match.group(), start + match.start()) for match in _WORD.finditer(part))
        sections.append(Section(words, start + len(part.rstrip())))
        start += len(part) + 1
    if len(sections) != count:
        raise BadDeal(
            f"A deal has {count} sections separated by ' | ' ({names}), not {len(sections)}.",
            sections[min(count, len(sections)) - 1].end,
        )
    return sections


def read_deals(text: str, name: str, spelled: Callable[[str], str], sections: str) -> tuple[str, ...]:
    """Returns the deals of a file in their order. Raises BadFile with the line and column of the error.

    ``spelled`` returns a deal in its canonical spelling or raises BadDeal; ``sections`` describes the
    sections of a deal, for the error message.
    """

    def deal(line: str, number: int) -> str:
        try:
            return spelled(line.translate(_CAPITALS))
        except BadDeal as wrong:
            raise BadFile(name, str(wrong), number, wrong.at + 1) from None

    deals = tuple(
        deal(line, number) for number, line in numbered_lines(text, name) if not is_blank_or_comment(line)
    )
    if not deals:
        raise BadFile(name, f"This file has no deals. Write one deal per line: {sections}.", 1, 1)
    return deals
