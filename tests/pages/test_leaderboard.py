"""Tests the ten best hands of a session: selection, order and names."""

from types import SimpleNamespace

import pytest
import without_database  # noqa: F401

from cardlab.games.events import END, Event
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.solitario import rules
from cardlab.games.solitario.dealing import is_solvable
from cardlab.games.solitario.solver import solve, with_clicks
from cardlab.pages import leaderboard

SHOWN_MS = 1_000_000


def solvable_deal():
    deals = (rules.deal(f"a deal for the best {number}", {}) for number in range(20))
    return next(deal for deal in deals if is_solvable(deal, "briscola", 1, False))


DEAL = solvable_deal()
START = rules.start(DEAL, {})
LINE = with_clicks(solve(START.position, START.pack).line, START.position)


def hand(seconds, solved=True, practice=False):
    """Returns a hand that took so many seconds."""
    opening = Opening(DEAL, START.options, hands=2, practice=practice, shown_ms=SHOWN_MS)
    folded = Hand(rules, opening)
    for number, action in enumerate(LINE if solved else ["give up"], 1):
        folded = folded.after(Event(number, rules.SEAT, action, 0, SHOWN_MS))
    outcome = "solved" if solved else "gave_up"
    return folded.after(Event(folded.next_number, "", f"{END}{outcome}", None, SHOWN_MS + 1000 * seconds))


def shown_rows(rounds, own=1, shown="numbers", labels=None):
    """Returns the rows shown to participant ``own``; ``rounds`` has None for a hand that did not begin."""
    hands, session = {}, SimpleNamespace(config={"ten_best": shown})

    def players(of_round):
        for number, hand_or_none in enumerate(of_round, 1):
            participant = SimpleNamespace(id=number, id_in_session=number, label=(labels or {}).get(number))
            player = SimpleNamespace(participant=participant, session=session)
            hands[id(player)] = hand_or_none
            yield player

    subsessions = [SimpleNamespace(get_players=list(players(r)).copy) for r in rounds]
    page = SimpleNamespace(
        hand=lambda player: hands[id(player)],
        seat=lambda _player: rules.SEAT,
        shown_opening=lambda _player: Opening(DEAL, START.options, hands=len(rounds)),
    )
    player = SimpleNamespace(
        participant=SimpleNamespace(id=own),
        session=session,
        get_folder_name=lambda: "solitario_app",
        subsession=SimpleNamespace(in_rounds=lambda first, last: subsessions[first - 1 : last]),
    )
    return leaderboard.best_hands(page, player)


def test_solved_hands_are_ranked_and_own_ones_marked():
    rows = shown_rows([[hand(90), hand(30)], [hand(60), None]], own=1)
    assert [(row.place, row.who, row.seconds, row.own) for row in rows] == [
        (1, "Participant 2", "30", False),
        (2, "Participant 1", "60", True),
        (3, "Participant 1", "90", True),
    ]
    assert [row.score for row in rows] == [str(hand(s).result(rules.SEAT).score) for s in (30, 60, 90)]


def test_unsolved_and_practice_hands_are_left_out():
    assert shown_rows([[hand(10, solved=False), hand(10, practice=True), None]]) == []


def test_at_most_ten_hands_are_listed():
    rows = shown_rows([[hand(seconds) for seconds in range(20, 32)]])
    assert [row.seconds for row in rows] == [str(seconds) for seconds in range(20, 30)]


@pytest.mark.parametrize(
    ("shown", "names"),
    [("numbers", ["Participant 1", "Participant 2"]), ("labels", ["PC_7", "Participant 2"])],
)
def test_players_are_shown_by_number_or_label(shown, names):
    assert [row.who for row in shown_rows([[hand(10), hand(20)]], shown=shown, labels={1: "PC_7"})] == names


def test_leaderboard_can_be_off():
    assert shown_rows([[hand(10)]], shown="off") is None
