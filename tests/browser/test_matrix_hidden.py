"""Tests that a window of the matrix card game receives no hidden card and no secret choice."""

import re

import pytest
from listener import Listener
from matrix_player import with_deal_files
from playwright.sync_api import expect
from server_fixture import LabServer

from cardlab.games.cards import pretty
from cardlab.games.matrix.packs import PACKS

# A card's name, also in lower case unless that would be a word.
CARD = re.compile(r"(?<![\w+-])(?:[LRlr][+-](?:10|[1-9])|(?:10|[2-9])[SHCDshcd]|[AJQK][SHCD])(?!\w)")
PRETTY = {pretty(card): card for card in PACKS["standard"]}
WORDS = re.compile(r"(?:10|[2-9AJQK])[♠♥♣♦]")

# Faces without a name, which would reveal a card just like its name.
NAMELESS = "document.querySelectorAll('.card:not([data-card]) text').length"


def named(text: str) -> set[str]:
    """Returns the cards that a text names."""
    return {card.upper() for card in CARD.findall(text)} | {PRETTY[word] for word in WORDS.findall(text)}


def test_every_spelling_of_a_card_is_found():
    text = 'data-card="7c" "10H" "faces":{"L+7":{ "R-10" "Q♠" #4d585d x7C 7Cx'
    assert named(text) == {"7C", "10H", "L+7", "R-10", "QS"}


class Window:
    """A player's window, and every card that its seat may know by now."""

    def __init__(self, player) -> None:
        self.player, self.listener = player, Listener(player)
        self.known: set[str] = set()

    def learn(self, state, seat: str) -> None:
        """Records the visible cards of the table and the seat's hand."""
        self.known |= {card for cross in state.crosses for card in cross} | set(state.hand(seat))
        for turn in state.turns:
            self.known |= {*turn.cards, *turn.collected}

    def expect_nothing_hidden(self, state, seat: str) -> None:
        self.player.expect_table(state)
        self.player.expect_at_rest()
        heard = self.listener.heard()
        self.learn(state, seat)
        assert named(heard) - self.known == set()
        assert set(state.hand(seat)) <= named(heard)  # shows that the listener works
        assert self.player.page.evaluate(NAMELESS) == 0


@pytest.fixture(params=["production", "debug"])
def any_mode(request, tmp_path, server):
    """Provides a server as lab.py starts it, or in debug mode, where pages show a panel of variables."""
    if request.param == "production":
        yield server
        return
    with LabServer(tmp_path / "card_lab", environment={"OTREE_PRODUCTION": "0"}) as debugging:
        yield with_deal_files(debugging)


def expect_hidden(game, windows) -> None:
    for seat, player in game.people.items():
        windows[player].expect_nothing_hidden(game.state, seat)


@pytest.mark.long("the same as with the standard pack", only="special")
@pytest.mark.parametrize("pack", ["standard", "special"])
def test_two_windows_receive_no_hidden_card(seat_group, pack):
    people = seat_group(2, pack=pack, change_choice=pack == "special")
    windows = {player: Window(player) for player in people}
    for player in people:
        player.come()
    game = seat_group.game(*people, pack=pack, change_choice=pack == "special")
    expect_hidden(game, windows)
    for turn in range(3):
        first, second = game.state.pair if turn % 2 else reversed(game.state.pair)
        game.act(first)
        expect_hidden(game, windows)
        if game.state.options["change_choice"]:
            game.act(first)
            expect_hidden(game, windows)
        if turn == 1:
            for player in people:
                player.page.reload()
                player.expect_live()
            expect_hidden(game, windows)
        game.act(second)
        expect_hidden(game, windows)
        if game.state.rotator:
            game.act(game.state.rotator)
            expect_hidden(game, windows)


@pytest.mark.long("the same as with two players")
def test_four_windows_receive_no_hidden_card(seat_group):
    people = seat_group(4)
    windows = {player: Window(player) for player in people}
    for player in people:
        player.come()
    game = seat_group.game(*people)
    for _turn in range(3):
        first, second = game.state.pair
        for seat in (second, first):
            game.act(seat)
            expect_hidden(game, windows)


@pytest.mark.long("starts a server in debug mode", only="debug")
def test_robot_choice_and_debug_panel_reveal_nothing(any_mode, seat_group, server):
    (player,) = seat_group(1, players=2, server=any_mode)
    window = Window(player)
    player.arrive()
    player.expect_live()
    expect(player.page.locator("#turn")).to_contain_text("1 of")
    expect(player.page.locator(".debug-info")).to_have_count(0 if any_mode is server else 1)
    heard = named(window.listener.heard())
    assert heard == open_to(player)  # of the practice game

    player.come()
    player.expect_at_the_table()
    window.listener.heard()
    player.page.reload()
    player.expect_at_the_table()
    assert named(window.listener.heard()) == open_to(player)


def open_to(player) -> set[str]:
    """Returns the cards of the crosses and the player's hand, before the first move."""
    shown = player.shown()
    return {card for cross in shown["crosses"].values() for card in cross} | set(shown["hand"])
