"""The parts of a comprehension check: questions, each in several forms."""

from gettext import gettext as _
from typing import NamedTuple


class Form(NamedTuple):
    """One form of a question.

    ``choices`` are pairs of a value and its text, ``right`` is the value of the right answer, and ``why``
    explains it after a wrong one.
    """

    text: str
    choices: tuple[tuple[str, str], ...]
    right: str
    why: str


class Question:
    """A question; ``field`` names the field of the player that stores the answers.

    The first form is asked first. After a wrong answer the next form follows, after the last one the first.
    """

    def __init__(self, field: str, *forms: Form) -> None:
        self.field, self.forms = field, forms


def yes_no() -> tuple[tuple[str, str], ...]:
    """Returns the choices yes and no, in the participant's language."""
    return ("yes", _("Yes")), ("no", _("No"))
