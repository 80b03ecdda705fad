"""Sentences that the record keeps in English and a participant reads in another language."""

from __future__ import annotations

import pytest

from cardlab.games import sentence as sentences
from cardlab.games.sentence import sentence, translate

WORDS = {"The {card} is {colour}.": "{colour}: {card}!", "red": "rosso"}


@pytest.fixture(autouse=True)
def _italian(monkeypatch):
    monkeypatch.setattr(sentences, "gettext", lambda text: WORDS.get(text, text))


def test_a_sentence_is_english_and_is_told_with_what_fills_it():
    said = sentence("The {card} is {colour}.").format(card="2♥", colour=sentence("red"))
    assert said == "The 2♥ is red."
    assert said.translated == "rosso: 2♥!"


def test_what_is_no_sentence_is_told_as_it_stands():
    assert translate("red") == "red"
    assert translate(sentence("red")) == "rosso"
