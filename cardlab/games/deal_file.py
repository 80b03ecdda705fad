"""Deal files, the same for every game that has them: one deal a line, as the game's ``dealing`` writes it.

Blank lines and comments (``//``, ``;`` or ``#``) say nothing; cards may be in small letters.
"""

from __future__ import annotations

from collections.abc import Callable
from string import ascii_lowercase, ascii_uppercase

from cardlab.games.contract import BadFile
from cardlab.games.text_file import is_blank_or_comment, numbered_lines

_CAPITALS = str.maketrans(ascii_lowercase, ascii_uppercase)


class BadDeal(ValueError):
    """A text that is no deal, with a sentence; ``at`` is where it goes wrong, in characters from 0."""

    def __init__(self, message: str, at: int) -> None:
        super().__init__(message)
        self.at = at


def read_deals(text: str, name: str, spelled: Callable[[str], str], sections: str) -> tuple[str, ...]:
    """The deals of a file in their order; BadFile names line and column of what is refused.

    ``spelled`` gives a deal in its one spelling or raises BadDeal; ``sections`` says what a deal consists of.
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
        raise BadFile(name, f"There is no deal in this file; a deal is a line of {sections}.", 1, 1)
    return deals
