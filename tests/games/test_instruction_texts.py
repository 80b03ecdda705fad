"""Tests that the instructions of every game are short, each task and all together."""

import pytest

from cardlab.games.registry import games_by_name

OPTIONS = {"solo": ("ttt", {}), "ck": ("ttt", {"players": 2, "robots": {"nk": "informed"}})} | {
    name: (name, {}) for name in ("challenge", "matrix", "solitario", "triangle")
}


@pytest.mark.parametrize("form", OPTIONS)
def test_steps_are_asked_in_few_words(form):
    name, options = OPTIONS[form]
    texts = games_by_name()[name].load_module("texts").coach_texts(options)
    words = {
        key: max(len(each.split()) for each in (text.values() if isinstance(text, dict) else [text]))
        for key, text in texts.items()
    }
    asked = {key: count for key, count in words.items() if key.startswith(("ask_", "may_", "wrong_"))}
    assert max(asked.values()) <= 15, asked
    read = [key for key in words if key.startswith(("ask_", "praise_")) and "lesson" not in key]
    assert sum(map(words.get, read)) <= 150


def test_only_keys_in_use_are_named():
    def keys(name, **options):
        return games_by_name()[name].load_module("texts").keys_sentence(options)

    assert "V looks at the card of your keeper" in keys("ttt", players=2, ViewCkNk=False)
    assert "V looks at the card of the keeper whose turn it is" in keys("ttt", ViewCkNk=False)
    assert "V" not in keys("ttt", players=2, ViewCkNk=True)
    assert "K keeps all" in keys("matrix", players=2)
    assert "K" not in keys("matrix", players=4).replace("Keys", "")
    assert "undo" not in keys("solitario")  # the practice table has none


@pytest.mark.parametrize("form", OPTIONS)
def test_coach_and_board_name_texts_differently(form):
    """A page merges both into one dictionary, where a second text of a name would replace the first."""
    name, options = OPTIONS[form]
    texts = games_by_name()[name].load_module("texts")
    assert not texts.board_texts().keys() & texts.coach_texts(options).keys()
