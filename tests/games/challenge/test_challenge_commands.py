"""Tests the typed commands of Challenge: all spellings of the source, and refusals (ruling 21)."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import rules
from cardlab.games.challenge.commands import PAGE_COMMANDS, SPELLINGS, command_list, read, refusals
from cardlab.games.challenge.options import complete_options
from cardlab.games.challenge.packs import pack

RANKS = {
    "A": "A1",
    "K": "K",
    "Q": "Q",
    "J": "J",
    "10": ["10", "T", "X"],
    **{str(n): str(n) for n in range(2, 10)},
}


@st.composite
def spelled_cards(draw):
    """Draws a card and one of its spellings."""
    card = draw(st.sampled_from(pack(13)))
    typed = [draw(st.sampled_from(list(RANKS[card[:-1]]))), card[-1]]
    letters = "".join(typed[::-1] if draw(st.booleans()) else typed)
    parts = [draw(st.sampled_from([one.lower(), one.upper()])) for one in letters]
    return card, draw(st.sampled_from(["", " ", "\t"])).join(["", *parts, ""])


@given(spelled_cards())
def test_a_card_is_read_in_any_spelling(spelled):
    card, typed = spelled
    assert read(typed) == f"play {card}"


@pytest.mark.parametrize("typed", ["S10", "ts", "Xs", "10s", "sX", " s 1 0 ", "play 10S", "PLAY ts"])
def test_the_sources_spellings_of_a_card_are_read(typed):
    assert read(typed) == "play 10S"


@pytest.mark.parametrize("typed", ["1h", "hA", "H1", "ah"])
def test_ace_of_hearts_is_read_in_any_spelling(typed):
    assert read(typed) == "play AH"


def test_every_card_has_all_its_spellings():
    card_texts = [
        text for text in SPELLINGS if re.fullmatch(r"(10|[akqjtx1-9])[shcd]|[shcd](10|[akqjtx1-9])", text)
    ]
    assert len(card_texts) == 4 * 2 * (13 + 1 + 2)  # one more for an ace, two for a ten
    assert {SPELLINGS[text] for text in card_texts} == {f"play {card}" for card in pack(13)}


@pytest.mark.parametrize(
    ("typed", "command"),
    [
        *[("p", "pick up"), ("?", "may"), ("!c", "consult"), ("!d", "offer draw"), ("!f", "claim win")],
        *[
            ("!r", "resign"),
            ("b", "back"),
            ("z", "pass"),
            ("!h", "mark"),
            ("!i", "instructions"),
            ("!l", "log"),
        ],
        *[("!w", "window"), ("!a", "next"), ("accept", "accept"), ("y", "accept"), ("decline", "decline")],
        *[("Pick Up", "pick up"), ("set up", "setup"), ("! C", "consult"), ("mark off", "mark off")],
    ],
)
def test_typed_commands_are_parsed(typed, command):
    assert read(typed) == command


def test_typed_texts_give_actions_or_page_commands():
    kinds = {example for example in rules.EXAMPLES if not example.startswith(("play", "advise", "lift"))}
    assert set(SPELLINGS.values()) == kinds | {f"play {card}" for card in pack(13)} | set(PAGE_COMMANDS)
    assert all(text == text.lower() and not re.search(r"\s", text) for text in SPELLINGS)


@given(st.one_of(st.text(max_size=6), st.text("shcdakqjtx0123456789!?pbz \tI", max_size=5)))
def test_invalid_commands_are_answered_in_words(typed):
    if "".join(typed.lower().split()) in SPELLINGS:
        read(typed)
    else:
        with pytest.raises(ValueError, match=r"^[A-Z].*\.$"):
            read(typed)


@pytest.mark.parametrize(
    ("typed", "word"),
    [
        ("10", "suit"),
        ("t", "suit"),
        ("S", "rank"),
        ("!s", "Shell"),
        ("!", "letter"),
        ("!x", "list"),
        ("", "list"),
    ],
)
def test_near_commands_get_specific_answers(typed, word):
    with pytest.raises(ValueError, match=word):
        read(typed)


def test_no_valid_command_has_an_error_message():
    assert not set(refusals()) & set(SPELLINGS)


def test_the_command_list_has_the_possible_commands():
    alone, machine = complete_options({}), {"robots": {"N": "computer"}}
    playing = [typed for typed, _what in command_list({**alone, **machine})]
    assert playing == ["10S", "p", "?", "!d", "!f", "!r", "!h", "!l", "!i", "!w"]
    analysing = [typed for typed, _what in command_list({**alone, **machine, "analysing": True})]
    assert analysing == ["10S", "p", "?", "!c", "!f", "b", "z", "setup", "!h", "!i", "!w", "!a"]
    assert all(read(typed) for typed in {*playing, *analysing})
    assert "!c" in dict(command_list({**alone, **machine, "hints": True}))
    assert not {"!d", "!f"} & set(dict(command_list({**alone, "draw_offers": False, "claims": False})))
