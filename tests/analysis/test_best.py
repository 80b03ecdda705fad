"""Tests the ``best`` command for Triangle Solitaire on the server's own exports."""

from __future__ import annotations

import csv
import random
from pathlib import Path

import pytest
from record_builder import action_events, append_events, closing_events, due_events, fold, opening_record
from server_tables import CREATED_MS, Session, small_session

from cardlab.analysis import best
from cardlab.analysis.commands import main
from cardlab.analysis.games.triangle import best as triangle
from cardlab.core.protocol import Message
from cardlab.games.record import Opening
from cardlab.games.triangle import oracle, rules
from cardlab.games.triangle.deal import parse_deal, read_deal_file
from cardlab.games.triangle.strategies import VIEW_POLICIES

import triangle_app  # isort: skip - after server_tables, which keeps oTree off the project's database

ROOT = Path(__file__).parents[2]
STANDARD, OTHER = read_deal_file((ROOT / "deals/triangle/standard.txt").read_text("utf-8"), "standard.txt")[
    :2
]
BOTH = read_deal_file((ROOT / "deals/triangle/both.txt").read_text("utf-8"), "both.txt")[0]


def played(deal: str, strategy: str, cards: int = 40, seed: int = 1, end: str = "") -> str:
    """Returns a hand's record as the hand socket writes it: ``cards`` placed by a strategy, with a refused
    action, a reminder, and discards by the server."""
    record, chance, ms = (
        opening_record(Opening(deal, {}, 1, 2, source="deals.txt"), CREATED_MS),
        random.Random(seed),
        0,
    )
    for number in range(cards):
        hand = fold(rules, record)
        if hand.is_over:
            break
        actions = [VIEW_POLICIES[strategy](rules.view(hand.state, rules.SEAT), chance)]
        if number == 3:
            actions = ["place 28", *reminder(hand.state), *actions]
        for action in actions:
            ms += 1000
            hand = fold(rules, record)
            events, _sentence = action_events(
                hand, rules.SEAT, Message(1, hand.next_number, action, ms), CREATED_MS + ms
            )
            record = append_events(rules, record, events)
            record = append_events(rules, record, due_events(fold(rules, record), CREATED_MS + ms))
    if end:
        record = append_events(
            rules, record, closing_events(fold(rules, record), end, CREATED_MS + ms + 1000)
        )
    return record


def reminder(state: rules.State) -> list[str]:
    """Returns a legal reminder action, if there is one."""
    return [f"mark {state.spares[0]} {n}" for n, there in enumerate(state.places, 1) if len(there) < 3][:1]


def export(session: Session, function: str = "custom_export") -> str:
    """Returns the text of a download of the data page."""
    return session.export(function, triangle_app)


RECORDS = {
    ("s3ss10n0_1", "1"): played(STANDARD, "first_match"),
    ("s3ss10n0_1", "2"): played(OTHER, "most_neighbours", cards=9, end="timeout"),
    ("s3ss10n0_2", "1"): played(STANDARD, "random"),
    ("s3ss10n0_2", "2"): played(BOTH, "look_ahead", cards=12),  # still open
}


@pytest.fixture
def actions(tmp_path, monkeypatch):
    """Provides a table of actions of two participants, in the current folder."""
    monkeypatch.chdir(tmp_path)
    records = [[RECORDS[code, hand] for hand in "12"] for code in ("s3ss10n0_1", "s3ss10n0_2")]
    Path("actions.csv").write_text(
        export(Session(labels=["=PC_01", None], records=records)), "utf-8", newline=""
    )
    return Path("actions.csv")


def run(*arguments: str) -> int:
    return main(["best", *arguments, "--jobs", "1", "-o", "best.csv"])


def rows() -> list[dict[str, str]]:
    with open("best.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_hand_has_a_proved_best_score(actions, capsys):
    assert run("actions.csv") == 0
    assert capsys.readouterr().out == "Wrote 4 hands to best.csv\n"
    best_rows = {(row["participant_code"], row["hand"]): row for row in rows()}
    assert best_rows.keys() == RECORDS.keys()
    assert all([*row] == [*best.COLUMNS, *triangle.COLUMNS] for row in best_rows.values())
    for key, record in RECORDS.items():
        row, hand = best_rows[key], fold(rules, record)
        assert int(row["score"]) == hand.state.score.total
        assert (row["best_score"], row["bound"], row["proved"]) == ("18", "18", "1")
        assert row["participant_label"] == ("'=PC_01" if key[0] == "s3ss10n0_1" else "")
        state = rules.start(hand.opening.deal, {})
        for action in row["best_actions"].split("; "):
            state = rules.apply(state, rules.SEAT, action)
        assert rules.is_over(state)
        assert state.score.total == int(row["best_score"])
    assert len({row["score"] for row in rows()}) > 2  # the hands differ, so the figures are theirs


def test_example_hands_contain_every_kind_of_event():
    """Discards by the server, a refused action, a reminder, a timeout and an open hand."""
    text = "".join(line for record in RECORDS.values() for line in record)
    for sign in ('"discard"', '"place 28"', '"mark ', '"end completed"', '"end timeout"'):
        assert sign in text
    assert fold(rules, RECORDS["s3ss10n0_2", "2"]).outcome == "open"
    assert parse_deal(BOTH).doubled
    assert parse_deal(BOTH).mixed_in


def test_interrupted_search_is_not_marked_proved(actions):
    assert run("actions.csv", "--nodes", "1") == 0
    unproved = [row for row in rows() if row["proved"] == "0"]
    assert unproved
    for row in unproved:
        assert int(row["score"]) <= int(row["best_score"]) < int(row["bound"]) == 18


def test_repeated_deal_is_searched_once(actions, monkeypatch):
    searched = []

    def find_best_play(state, nodes):
        searched.append((state.deck, nodes))
        return oracle.BestPlay(18, (), True, 18, 0)

    monkeypatch.setattr(oracle, "find_best_play", find_best_play)
    assert run("actions.csv", "--nodes", "750") == 0
    assert searched == [(parse_deal(deal).deck, 750) for deal in (STANDARD, OTHER, BOTH)]


# ---------------------------------------------------------------- refusals


def refused(capsys) -> str:
    """Returns the single error line and checks that nothing was written."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert not Path("best.csv").exists()
    (line,) = captured.err.splitlines()
    return line.removeprefix("error: ")


def test_table_of_another_game_is_refused(actions, capsys):
    Path("ttt.csv").write_text(small_session().export(), "utf-8", newline="")
    assert run("ttt.csv") == 2
    sentence = "This is a hand of ttt_solo_app. Only hands of solitario_app or triangle_app can be read here."
    assert refused(capsys) == f"ttt.csv, line 2: {sentence}"
    assert main(["split", "actions.csv", "--out", "logs"]) == 2
    assert "Only hands of ttt_solo_app or ttt_pair_app can be read here." in refused(capsys)


@pytest.mark.parametrize("function", ["custom_export_hands", "custom_export_placements"])
def test_wrong_table_of_the_game_is_refused(actions, capsys, function):
    session = Session(labels=[None], records=[[RECORDS["s3ss10n0_1", "1"]]])
    Path("other.csv").write_text(export(session, function), "utf-8", newline="")
    assert run("other.csv") == 2
    assert refused(capsys).startswith("other.csv")


def test_best_command_refuses_a_log(actions, capsys):
    Path("ck.txt").write_text(small_session().export("custom_export_ck_log"), "utf-8", newline="")
    assert run("ck.txt") == 2
    *_warnings, line = capsys.readouterr().err.splitlines()
    needed = "This command needs a table of solitario_app or triangle_app."
    assert line == f"error: ck.txt: This is a log of Target the Two. {needed}"
    assert not Path("best.csv").exists()


def test_rule_violation_is_refused_with_its_line(actions, capsys):
    lines = actions.read_text("utf-8").splitlines(keepends=True)
    place = next(n for n, line in enumerate(lines) if ",place " in line)
    action = next(cell for cell in lines[place].split(",") if cell.startswith("place "))
    lines.insert(place + 1, lines[place].replace(",1,place", ",2,place"))  # once more into the same place
    actions.write_text("".join(lines), "utf-8", newline="")
    assert run("actions.csv", "--strict") == 2
    assert f"{action}, is not allowed: A full card is already there." in refused(capsys)
