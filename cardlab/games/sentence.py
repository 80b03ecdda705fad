"""Sentences that the record keeps, which is the same in every language, and that a participant reads.

Where a module has ``from cardlab.games.sentence import sentence as _``, what is marked with ``_("…")`` is a
text in English, and its ``translated`` the same in the language of the server.
"""

from __future__ import annotations

from gettext import gettext
from typing import Any


class Sentence(str):
    """A text in English that can be told in the participant's language, as can what fills its braces."""

    __slots__ = ("_form", "_values")
    _form: str
    _values: dict[str, Any]

    def format(self, **values: Any) -> Sentence:  # type: ignore[override]  # by name, as translators need it
        """Returns the sentence with its braces filled in."""
        filled = Sentence(super().format(**values))
        filled._form, filled._values = self._form, values
        return filled

    @property
    def translated(self) -> str:
        """The sentence in the participant's language."""
        return gettext(self._form).format(**{name: translate(value) for name, value in self._values.items()})


def sentence(text: str) -> Sentence:
    """Returns the sentence, or word, that is in the code."""
    made = Sentence(text)
    made._form, made._values = text, {}
    return made


def translate(text: Any) -> Any:
    """Returns what a participant reads of a text that may be a sentence."""
    return text.translated if isinstance(text, Sentence) else text
