"""Tests the log of Challenge: written logs are read back, and errors name their position."""

import csv
import io
import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.challenge import log, rules
from cardlab.games.contract import BadFile
from cardlab.games.events import Event
from cardlab.games.hand import History
from cardlab.games.record import Opening

TEXT = """\
Challenge log 2
# session s participant p game 1
size: 2
after_pickup: opponent
after_better: pass
trumps: computer S | participant H
max_actions: 400
deal: KS AH AC KC | AS KH AD KD | participant
   1 participant  KD
   2 computer     KS
     participant  resign
result: computer won (resigned) after 2 moves
"""
FORMS = [{}, {"after_better": "lead"}, {"after_pickup": "picker", "after_better": "lead"}]


def history(seed, actions=None, **chosen):
    """Returns a hand of so many random actions, or played to its end."""
    options = {"robots": {"N": "computer"}, **chosen}
    chance = random.Random(seed)
    deal = rules.deal(f"{seed}", options)
    state, events = rules.start(deal, options), []
    while not rules.is_over(state) and (actions is None or len(events) < actions):
        seat = chance.choice(rules.waiting_for(state))
        legal = rules.legal_actions(state, seat)
        action = chance.choice(
            [one for one in legal if one != rules.RESIGN or chance.random() < 0.1] or legal
        )
        events.append(Event(len(events) + 1, seat, action, 0, 0))
        state = rules.apply(state, seat, action)
    return History.replay(rules, Opening(deal, options), events)


histories = st.builds(
    lambda seed, actions, size, trumps, form, more: history(
        seed, actions, size=size, trumps=trumps, **form, **more
    ),
    st.integers(0, 10**6),
    st.sampled_from([0, 3, 30, None]),
    st.integers(1, 4),
    st.sampled_from(["SH", "HS", "CD"]),
    st.sampled_from(FORMS),
    st.sampled_from([{}, {"hints": True}, {"max_actions": 20}]),
)


@given(st.lists(histories, min_size=1, max_size=3))
def test_written_log_is_read_back(played):
    games = [log.game_from_history(one, f'session "a", game {number}') for number, one in enumerate(played)]
    games_read = log.read(log.write(games), "challenge.log")
    assert games_read == games
    export = io.StringIO(newline="")  # as oTree writes it, one line per row
    csv.writer(export).writerows([line] for game in games for line in log.lines(game))
    assert log.read(export.getvalue(), "challenge.log") == games
    for game, one in zip(games_read, played, strict=True):
        state = rules.start(game.deal, {**game.options, "moves": game.moves})
        assert (state.positions, state.moves) == (one.hand.state.positions, one.hand.state.moves)


def test_a_logged_game_is_readable():
    options = {"size": 2, "robots": {"N": "computer"}}
    deal = "KS AH AC KC | AS KH AD KD | participant"
    events = [("S", "mark off"), ("S", "play KD"), ("N", "play KS"), ("S", "lift AS"), ("S", "resign")]
    rows = [Event(number, *event, 0, 0) for number, event in enumerate(events, 1)]
    rows.insert(3, Event(4, "S", "play AC", 0, 0, False, "You do not have this card."))
    played = History.replay(rules, Opening(deal, options), rows)
    game = log.game_from_history(played, "session s, participant p,\ngame 1")
    assert log.write([game]) == TEXT
    assert game.moves == "KD KS"


def test_a_log_of_version_1_is_read():
    (game,) = log.read(TEXT.replace("log 2", "log 1").replace(" after 2 moves", ""), "old.log")
    assert game == log.read(TEXT, "new.log")[0]


def test_exported_log_is_read_back():
    export = Path(__file__).parents[2] / "golden" / "challenge" / "played" / "custom_export_log.csv"
    games = log.read(export.read_text("utf-8"), export.name)
    assert [game.result.split()[0] for game in games] == ["computer", "drawn", "computer", "open"]
    assert all("session challengeg0ld" in game.about[0] for game in games)


def test_a_log_written_by_hand_is_read():
    by_hand = """
; an analysis of my own
challenge log 1
SIZE: 2
deal: KS AH AC KC | AS KH AD KD | participant

1. participant Kd
2. Computer pick up
// and now?
3. participant 1d
Result: open
"""
    (game, other) = log.read(by_hand.replace("challenge log", "Challenge log") + TEXT, "own.log")
    assert game.moves == "KD p AD"
    assert game.options == {
        "size": 2, "after_pickup": "opponent", "after_better": "pass", "trumps": "SH", "max_actions": 400
    }  # fmt: skip
    assert (game.line, other.line) == (3, 12)
    assert game.about == ("and now?",)


@given(st.integers(0, 2 * len(TEXT)))
def test_truncated_file_error_names_the_position(at):
    whole = TEXT + TEXT
    cut = whole[:at]
    if cut.strip() in (TEXT.strip(), whole.strip()):
        assert len(log.read(cut, "cut.log")) == cut.count("resigned")
        return
    with pytest.raises(BadFile, match="cut off|has no result|first line of a game|has no games") as wrong:
        log.read(cut, "cut.log")
    assert wrong.value.line == max(1, len(cut.rstrip().splitlines())) or not cut.strip()


@pytest.mark.parametrize(
    ("old", "new", "line", "column", "what"),
    [
        ("Challenge log 2", "size: 3", 1, 1, "must be 'Challenge log 2', not 'size: 3'"),
        ("log 2", "log 7", 1, 15, "Only the versions 1 and 2 can be read"),
        ("size: 2", "size: 14", 3, 7, "from 1 to 13"),
        ("size: 2", "size: 1", 8, 7, "This deal has the size 2, not 1"),
        ("size: 2", "size: 3", 8, 7, "This deal has the size 2, not 3"),
        ("   2 computer     KS\n", "", 11, 9, "The game has 1 move up to here, not 2"),
        (" after 2 moves", "", 12, 32, "Add the number of moves, for example 'after 2 moves'"),
        ("size: 2", "height: 2", 3, 1, "Unknown setting 'height'"),
        ("size: 2", "size: 2\nsize: 2", 4, 1, "second time"),
        (": opponent", ": other", 4, 15, "opponent or picker"),
        (": opponent", ": picker", 8, 1, "after_better lead"),
        ("computer S", "computer H", 6, 9, "two different suits"),
        ("KS AH", "KS KS", 8, 10, "twice"),
        ("KS AH", "KS ZZ", 8, 10, "is not a card"),
        ("   1 participant  KD\n", "", 9, 4, "number of this move is 1"),
        ("   1 participant", "   1 person     ", 9, 6, "Write the player, "),
        ("   1 participant", "   1 computer   ", 9, 19, "other player’s turn"),
        ("  KD\n", "  \n", 9, 19, "The move is missing"),
        ("  KD\n", "  K\n", 9, 19, "suit"),
        ("  KD\n", "  ?\n", 9, 19, "cannot be used in a log"),
        ("  KD\n", "  AC\n", 9, 19, "This move is not allowed: You do not have this card."),
        ("     participant  resign", "   3 participant  resign", 11, 4, "A word must have no number"),
        ("result: computer", "result: participant", 12, 9, "the result 'computer won .resigned.'"),
        ("deal: ", "# deal: ", 9, 1, "The line 'deal' must come before"),
        ("result: computer won (resigned) after 2 moves\n", "", 11, 25, "has no result"),
        ("result: computer won (resigned) after 2 moves\n", "Challenge log 1\n", 11, 25, "has no result"),
        (TEXT, "", 1, 1, "This file has no games"),
    ],
)  # fmt: skip
def test_log_errors_name_their_position(old, new, line, column, what):
    assert old in TEXT
    with pytest.raises(BadFile, match=f"challenge.log, line {line}, column {column}: .*{what}"):
        log.read(TEXT.replace(old, new, 1), "challenge.log")
