"""Sentences that are recorded in English and shown in the participant's language.

In a module with ``from cardlab.games.sentence import sentence as _``, ``_("…")`` is an English text, and its
``translated`` is the translation.
"""

from __future__ import annotations

from gettext import gettext
from typing import Any


class Sentence(str):
    """An English text that can be translated, together with the values in its braces."""

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
    """Returns a translatable sentence or word; gettext extracts the argument."""
    new_sentence = Sentence(text)
    new_sentence._form, new_sentence._values = text, {}
    return new_sentence


def translate(text: Any) -> Any:
    """Returns the translation of a :class:`Sentence`, and any other value as it is."""
    return text.translated if isinstance(text, Sentence) else text
