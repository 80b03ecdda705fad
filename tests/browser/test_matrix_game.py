"""Tests whole games of the matrix card game in two and four windows, from the table to the results."""

import re

import pytest
from matrix_player import signed
from playwright.sync_api import expect

from cardlab.games.matrix.packs import column, value


def expect_debriefing(player, game, seat) -> None:
    """Checks that the debriefing shows this seat's turns as they were played."""
    state, page = game.state, player.page
    turns = [turn for turn in state.turns if seat in turn.pair]
    expect(page.locator(".earned .total-earned")).to_have_text(f"€{max(0, 50 + state.score(seat)) / 20:.2f}")
    expect(page.locator(".earned")).to_contain_text("A paid game earns its score plus 50 points.")
    assert 1 <= page.locator(".highlights li").count() <= 3
    for part in page.locator(".details-part > summary").all():
        part.click()
    expect(page.locator(".facts dd").first).to_have_text(str(len(turns)))
    expect(page.locator("details.game[open]")).to_have_count(1)
    assert page.locator("details.game .turns > li").count() == len(turns)
    chosen = page.locator(".turns .is-chosen").all_text_contents()
    played = page.locator(".turns .turn-choices p:not(.turn-assessment)").all_inner_texts()
    assert len(chosen) == len(turns)
    for number, turn in enumerate(turns):
        own = turn.pair.index(seat)
        points = [signed(value(turn.collected[place], state.options)) for place in (own, 1 - own)]
        columns = [column(turn.cards[place]) for place in (own, 1 - own)]
        assert [word.strip() for word in re.split(",|\\(", chosen[number])][:2] == points
        for line, sides, collected in zip(played[2 * number :], columns, points):
            assert line.endswith(f"{sides} · Collected: {collected}"), (line, turn)


def expect_payment(player, game, seat) -> None:
    """Checks this seat's score and payoff in the results and the exports."""
    state, score = game.state, game.state.score(seat)
    rotations = sum(turn.rotator == seat and turn.rotation != "keep" for turn in state.turns)
    points = max(0, 50 + score)
    earnings, rows = player.results()
    assert rows == [
        ["1", str(len(state.pile(seat))), str(rotations), signed(score).removeprefix("+"), str(points)]
    ]
    assert earnings == [str(points), f"€{points / 20:.2f}", "€5.00", f"€{5 + points / 20:.2f}"]
    (hand,) = player.export("custom_export_hands")
    assert (hand["seat"], hand["outcome"], hand["score"]) == (seat, "completed", str(score))
    assert hand["rotations"] == str(rotations)
    (row,) = player.export("custom_export_participants")
    assert (row["score"], float(row["payoff"]), float(row["earnings_total"])) == (
        str(score),
        points,
        5 + points / 20,
    )


def expect_the_end(game) -> None:
    """Checks that score, debriefing and results agree for each player."""
    for seat, player in game.people.items():
        names = ("Other player",) if len(game.people) == 2 else ("Left", "Far", "Right")
        clockwise = [*game.state.seats, *game.state.seats][1 + game.state.seats.index(seat) :]
        others = [f" · {name}: {signed(game.state.score(other))}" for name, other in zip(names, clockwise)]
        own = f"Game over · Your score: {signed(game.state.score(seat))}"
        player.expect_result("".join([own, *others]))
        expect(player.page.locator("#result[data-end=done] svg")).to_be_visible()
        player.expect_status("The game is over.")
        expect(player.page.locator("#go-on")).to_have_text("See results")
    for seat, player in game.people.items():
        player.next()
        player.expect_page("Debriefing")
        expect_debriefing(player, game, seat)
        player.next()
        player.expect_page("Results")
        expect_payment(player, game, seat)


def test_two_players_finish_despite_reload_and_offline(seat_group):
    seat_group.lenient = True  # the browser complains of connections it cannot make
    one, other = seat_group(2)
    other = seat_group.window(other)
    for player in (one, other):
        player.come()
    game = seat_group.game(one, other)
    game.expect_everywhere()
    assert game.state.of == 22
    own, others = one.seat, other.seat

    def reload_during_choice() -> None:
        game.act(own, way="tap")
        one.page.reload()
        one.expect_live()
        game.expect_everywhere()
        one.expect_status("You have chosen. Waiting for the other player …")
        other.expect_status("The other player has chosen. Your turn: choose a card.")

    def offline_while_the_other_chooses() -> None:
        other.page.context.set_offline(True)
        other.expect_lost()
        before = other.shown()
        other.page.keyboard.press("1")
        game.act(own, way="tap")
        assert other.shown() == before
        other.page.context.set_offline(False)
        other.expect_live()
        game.expect_everywhere()
        other.expect_status("The other player has chosen. Your turn: choose a card.")

    def offline_after_own_choice() -> None:
        game.act(others, way="drag")
        other.expect_table(game.state)
        other.page.context.set_offline(True)
        other.expect_lost()
        game.act(own, way="tap")
        one.expect_table(game.state)
        other.page.context.set_offline(False)
        other.expect_live()
        game.expect_everywhere()

    interruptions = {2: reload_during_choice, 4: offline_while_the_other_chooses}
    interruptions[6] = offline_after_own_choice
    while not game.over:
        if interrupt := interruptions.pop(game.state.turn, None):
            interrupt()
        game.play_turn("drag" if game.state.turn % 3 == 0 else "tap")
        game.expect_everywhere(skip=game.state.turn > 2)  # the first turn is not skipped
        if not interruptions and game.state.turn < 20:
            game.play_by_socket(20)
            game.expect_everywhere()
    assert not interruptions
    expect_the_end(game)


@pytest.mark.long("the same as with two players")
def test_four_players_finish_by_keyboard(seat_group):
    people = seat_group(4, pack="special")
    for player in people:
        player.come()
    game = seat_group.game(*people, pack="special")
    game.expect_everywhere()
    assert game.state.of == 16
    while not game.over:
        game.play_turn()
        game.expect_everywhere()
    assert all(len(game.state.pile(seat)) == 8 for seat in "SWNE")
    expect_the_end(game)
