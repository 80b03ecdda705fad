"""Tests that no face-down card is in the page, its scripts or its messages, in both modes of oTree.

Every page loads the images of all six cards, whatever the deal; these are not part of the page itself.
"""

import re

import pytest
from listener import Listener
from player import DESK
from playwright.sync_api import expect
from server_fixture import LabServer
from ttt_player import with_show_file

from cardlab.games.cards import TTT_PACK, pretty

SUITS = {"H": "hearts", "C": "clubs"}


class Listener(Listener):
    """A listener that recognizes the six cards."""

    def expect_only(self, *cards: str) -> None:
        """Checks that the page and its messages name exactly these cards."""
        assert named(self.heard()) == set(cards)


def named(text: str) -> set[str]:
    """Returns the cards that a text names, in any spelling."""
    return {card for card in TTT_PACK if any(re.search(way, text, re.IGNORECASE) for way in ways(card))}


def ways(card: str) -> list[str]:
    return [rf"\b{card}\b", re.escape(pretty(card)), f"{card[0]} of {SUITS[card[1]]}"]


def test_every_spelling_of_a_card_is_found():
    assert named('cards/2H.svg {"T":"3C"} 4♥ 2 of Clubs data-card="4c" a3h4') == {
        "2H",
        "3C",
        "4H",
        "2C",
        "4C",
    }


@pytest.fixture(params=["production", "debug"])
def any_mode(request, tmp_path, server):
    """Provides a server as lab.py starts it, or in debug mode, where pages show a panel of variables."""
    if request.param == "production":
        yield server
        return
    with LabServer(tmp_path / "card_lab", environment={"OTREE_PRODUCTION": "0"}) as debugging:
        yield with_show_file(debugging)


@pytest.mark.long("starts a server in debug mode", only="debug")
def test_face_down_cards_are_never_sent(any_mode, seat_participant, server):
    # Without the rules drawer, whose examples name cards.
    player = seat_participant(DESK, any_mode, ViewCkNk="FALSE", ViewTarget="FALSE", rules_at_hand=False)
    listener = Listener(player)
    player.to_the_hand()
    expect(player.page.locator(".debug-info")).to_have_count(0 if any_mode is server else 1)
    listener.expect_only("2C", "4C")  # the cards at UP and Target

    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ. The colour keeper may exchange")
    listener.expect_only("2C", "4C")
    player.page.keyboard.press("v")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "3H")
    player.expect_at_rest()
    listener.expect_only("2C", "4C", "3H")
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ: 3♥ is red")
    listener.expect_only("2C", "4C", "3H")

    # After each turn, cards that were looked at are face down again.
    for key, in_target in (("c", "4C"), ("t", "4H")):
        player.press(key)
        player.expect_at_rest()
        listener.expect_only("2C", in_target)
    player.page.keyboard.press("Shift+V")
    expect(player.at("Nk").locator(".card")).to_have_attribute("data-card", "4C")
    player.expect_at_rest()
    listener.expect_only("2C", "4H", "4C")
    for key, in_target in (("p", "4H"), ("n", "4H"), ("t", "2H")):
        player.press(key)
        player.expect_at_rest()
        listener.expect_only("2C", in_target)


def test_instructions_reveal_no_hidden_card(seat_participant):
    player = seat_participant(ViewCkNk="FALSE", ViewCard="none")
    listener = Listener(player)
    player.arrive()
    player.expect_live()
    player.expect_at_rest()
    heard = listener.heard()
    assert "2H 3H 2C 4C 3C 4H" not in heard
    assert "3H 2C 2H 4C 4H 3C" not in heard
    assert named(player.page.locator("#board").evaluate("board => board.outerHTML")) == {"2H", "2C", "4C"}
