"""Tests sentences that are recorded in English and shown to a participant in another language."""

import pytest

from cardlab.games import sentence as sentences
from cardlab.games.sentence import sentence, translate

WORDS = {"The {card} is {colour}.": "{colour}: {card}!", "red": "rosso"}


@pytest.fixture(autouse=True)
def _italian(monkeypatch):
    monkeypatch.setattr(sentences, "gettext", lambda text: WORDS.get(text, text))


def test_sentence_is_translated_with_its_values():
    said = sentence("The {card} is {colour}.").format(card="2♥", colour=sentence("red"))
    assert said == "The 2♥ is red."
    assert said.translated == "rosso: 2♥!"


def test_other_text_is_not_translated():
    assert translate("red") == "red"
    assert translate(sentence("red")) == "rosso"
