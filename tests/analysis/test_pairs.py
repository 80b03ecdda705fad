"""Tests the table of pairs: four people, trained in two pairs on different files, change partners."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

import pandas as pd
import pytest
from performance_measures import measured_rows

from cardlab.analysis import baselines, sources
from cardlab.analysis.commands import main
from cardlab.analysis.games.ttt import pair_report, pairs, report
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.simulation import play, sessions
from cardlab.games.record import Opening
from cardlab.games.registry import games_by_name
from cardlab.games.statistics import Row
from cardlab.games.tables import ACTION_COLUMNS, deal_cells, event_cells, format_utc
from cardlab.games.ttt import board, joint, rules, show_file
from cardlab.games.ttt.strategies import STRATEGIES
from cardlab.row_chain import rechain

ROOT = Path(__file__).parents[2]
GAME = games_by_name()["ttt"]
LEARNT, LATER = 6, 8  # hands of the first and of the second block
STRATEGY = {"ann": "always_422", "bob": "always_422", "cid": "always_442", "dot": "always_442"}
# In each block: the players of Ck and Nk, and their file.
BLOCKS = (
    {("ann", "bob"): "game422.txt", ("cid", "dot"): "game442.txt"},
    {("ann", "dot"): "transfer422.txt", ("cid", "bob"): "transfer422.txt"},
)


class Person:
    """A player who takes one second per action in the first block, and two in the second."""

    ready_ms = 0

    def __init__(self, code: str, strategy: str) -> None:
        self.code, self.play = code, STRATEGIES[strategy].new_policy(Random(code))

    def thinking_ms(self, hand: int) -> int:
        return 1000 if hand <= LEARNT else 2000

    def rest(self, since_ms: int, _pause: tuple[int, int]) -> None:
        self.ready_ms = since_ms


def dealt(file: str, block: int) -> list[Opening]:
    text = (ROOT / "deals/ttt" / file).read_text("utf-8")
    deals = show_file.read(text, file, order="LINEAR", goal="2H", first="ck", at_most=None).hands
    options = {"players": 2, "ViewCkNk": True, "block": block, "learning_hands": LEARNT}
    options = {**rules.DEFAULT_OPTIONS, **options}
    deals = deals[:LEARNT] if block == 1 else deals[16 : 16 + LATER]
    return [Opening(deal, options, source=file) for deal in deals]


def rows_of(people: Mapping[str, Person], keepers: tuple[str, str], file: str, block: int) -> Iterator[Any]:
    """Yields the rows of the actions table for the hands that two people play in a block."""
    at = dict(zip(board.KEEPERS, (people[code] for code in keepers)))
    in_session = ["held", 0, format_utc(sessions.CREATED_MS)]
    for place, opening in enumerate(dealt(file, block), 1):
        hand = place if block == 1 else LEARNT + place
        opening, events = play.play_hand(GAME, opening, at, hand)
        hand_cells = [GAME.app_for_seats(2), hand, f"held-{'-'.join(keepers)}-{hand}"]
        who = {"": ["", "", "", ""]}
        who |= {seat: [one.code, f"{one.code}’s", 1, ""] for seat, one in at.items()}
        yield hand, [*in_session, *who[""], *hand_cells, "", *deal_cells(opening, opening.shown_ms)]
        for event in events:
            yield hand, [*in_session, *who[event.seat], *hand_cells, event.seat, *event_cells(event)]


@pytest.fixture(scope="module")
def actions(tmp_path_factory) -> Path:
    people = {code: Person(code, strategy) for code, strategy in STRATEGY.items()}
    rows = [
        row
        for block, groups in enumerate(BLOCKS, 1)
        for keepers, file in groups.items()
        for row in rows_of(people, keepers, file, block)
    ]
    path = tmp_path_factory.mktemp("pairs") / "actions.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        cells = [
            ["" if cell is None else str(cell) for cell in row]
            for _hand, row in sorted(rows, key=lambda one: one[0])
        ]
        csv.writer(file).writerows(rechain([[*ACTION_COLUMNS], *cells]))
    return path


def read_pair_rows(actions: Path) -> list[Row]:
    data = gather_data(sources.read_hands([actions], print), {})
    return pairs.build_rows(pairs.find_pairs(data), data.thresholds)


@pytest.fixture(scope="module")
def block_rows(actions) -> list[Row]:
    return read_pair_rows(actions)


@pytest.fixture(scope="module")
def played_hands(actions) -> list[Row]:
    return measured_rows(sources.read_hands([actions], print))


def test_each_pair_has_a_row_per_block(block_rows):
    names = (
        "pair",
        "block",
        "ck_participant_code",
        "nk_participant_code",
        "show_file",
        "first_hand",
        "last_hand",
    )
    assert [tuple(row[name] for name in names) for row in block_rows] == [
        (1, 1, "ann", "bob", "game422.txt", 1, 6),
        (2, 1, "cid", "dot", "game442.txt", 1, 6),
        (3, 2, "ann", "dot", "transfer422.txt", 7, 14),
        (4, 2, "cid", "bob", "transfer422.txt", 7, 14),
    ]
    assert {row["cluster"] for row in block_rows} == {0}  # by the second block all have met
    assert {row["robot"] for row in block_rows} == {""}


def test_rows_contain_training_and_current_route(block_rows):
    names = ("ck_trained_with", "nk_trained_with", "ck_route", "nk_route")
    assert [tuple(row[name] for name in names) for row in block_rows[2:]] == [
        ("game422.txt", "game442.txt", "422", "442"),
        ("game442.txt", "game422.txt", "442", "422"),
    ]
    assert [tuple(row[name] for name in names) for row in block_rows[:2]] == [("",) * 4] * 2


def test_pair_measures_come_from_its_combined_hands(block_rows, played_hands):
    for row in block_rows:
        codes = {row["ck_participant_code"], row["nk_participant_code"]}
        own = [one for one in played_hands if set(one["hand_id"].split("-")[1:3]) == codes]
        ck_rows = [one for one in own if one["seat"] == "ck"]
        assert row["hands_over"] == len(ck_rows) == len(own) / 2
        solved = [one["moves"] for one in ck_rows if one["outcome"] == "solved"]
        assert row["mean_moves"] == (fmean(solved) if solved else None)  # cid and bob never agree
        assert row["mean_moves_lost"] == pytest.approx(fmean(one["pair_moves_lost"] for one in ck_rows))
        assert row["mean_moves_lost"] == pytest.approx(fmean(one["moves_lost"] or 0 for one in own) * 2)
        assert row["forced_pass_share"] == pytest.approx(
            sum(one["forced_passes"] for one in own) / sum(one["own_moves"] for one in own)
        )
        # All players are equally fast, and present when it is their turn.
        seconds = 1 if row["block"] == 1 else 2
        assert row["nk_seconds_per_turn"] == seconds
        if solved:
            whole, members = row["mean_seconds"], row["mean_members_seconds"]
            assert members <= whole
            assert row["speed_ratio"] == pytest.approx(whole / members, rel=1e-3)


def test_pair_row_says_whose_route_it_keeps(block_rows, played_hands):
    """Two keepers with the same habit keep it; of two with different habits, only one can."""
    first = block_rows[0]
    assert first["share_422"] == 1
    for row in block_rows[2:]:
        hand_ids = {
            f"held-{row['ck_participant_code']}-{row['nk_participant_code']}-{hand}" for hand in range(7, 15)
        }
        own = [one for one in played_hands if one["hand_id"] in hand_ids and one["seat"] == "ck"]
        for keeper in board.KEEPERS:
            route = row[f"{keeper}_route"]
            tempting = [one for one in own if one["shorter_route"] not in ("", route)]
            kept = [one["outcome"] == "solved" and one["route"] == route for one in tempting]
            assert row[f"kept_{keeper}_route_share"] == fmean(kept)
        played, tempting, kept = [], 0, 0
        for one in own:
            familiar = max(
                played, key=lambda route: (played.count(route), played[::-1].index(route) * -1), default=""
            )
            if familiar and one["shorter_route"] not in ("", familiar):
                tempting += 1
                kept += one["route"] == familiar
            if one["outcome"] == "solved" and one["shorter_route"] and one["route"] in ("422", "442"):
                played.append(one["route"])
        assert (row["kept_route_hands"], row["kept_route_share"]) == (
            tempting,
            kept / tempting if tempting else None,
        )


def test_new_pairs_first_hands_follow_members_last_hands(block_rows, played_hands):
    assert [row.get("lost_after_change") for row in block_rows[:2]] == [None, None]
    row = block_rows[2]  # ann and dot

    def of(codes: str, numbers: range, name: str) -> float:
        own = [one for one in played_hands if one["hand_id"] in {f"held-{codes}-{hand}" for hand in numbers}]
        return fmean(one[name] for one in own)

    for name, column in (
        ("lost_after_change", "pair_moves_lost"),
        ("seconds_after_change", "seconds_per_move"),
    ):
        before = fmean(of(codes, range(3, 7), column) for codes in ("ann-bob", "cid-dot"))
        assert row[name] == pytest.approx(of("ann-dot", range(7, 11), column) - before, abs=1e-6)


def test_lasting_pair_has_an_overall_row(played_hands, actions, tmp_path):
    """Two participants stay one pair if they exchange their roles."""
    again = tmp_path / "again.csv"
    text = actions.read_text("utf-8")
    # Renames cid and bob of the second block to bob and ann, so that ann and bob exchange their roles.
    head, *rows = text.splitlines(keepends=True)
    kept = [row for row in rows if "ann-bob" in row or "cid-bob" in row]
    kept = [
        row.replace(",bob,", ",ann,").replace(",cid,", ",bob,") if "cid-bob" in row else row for row in kept
    ]
    again.write_text("".join([head, *kept]), "utf-8")
    pair_rows = read_pair_rows(again)
    assert [
        (row["pair"], row["block"], row["ck_participant_code"], row["hands_over"]) for row in pair_rows
    ] == [
        (1, 1, "ann", 6),
        (1, 2, "bob", 8),
        (1, "", "ann", 14),
    ]
    assert pair_rows[2]["routinization"] is not None  # its learning hands are the first block's
    assert [row.get("partners") for row in pair_rows] == [None, "kept", None]
    hands_of = [row for row in played_hands if row["seat"] == "ck"]
    cid, ann = ([row for row in hands_of if f"held-{who}-bob" in row["hand_id"]] for who in ("cid", "ann"))
    mean = [fmean(row["pair_moves_lost"] for row in own) for own in (cid[:4], ann[-4:])]
    assert pair_rows[1]["lost_after_change"] == pytest.approx(mean[0] - mean[1], abs=1e-6)


def test_command_writes_the_rows(actions, block_rows, tmp_path):
    out = tmp_path / "pairs.csv"
    assert main(["pairs", str(actions), "-o", str(out)]) == 0
    with out.open(newline="", encoding="utf-8") as file:
        written = list(csv.DictReader(file))
    assert list(written[0]) == list(pairs.columns())
    assert [row["ck_route"] for row in written] == ["", "", "422", "442"]
    assert [float(row["mean_moves_lost"]) for row in written] == pytest.approx(
        [row["mean_moves_lost"] for row in block_rows]
    )


def test_solo_hands_are_refused(tmp_path, capsys):
    rows = (ROOT / "docs/example/actions.csv").read_text("utf-8").splitlines(keepends=True)
    end = next(number for number, row in enumerate(rows) if ",end solved," in row)
    (tmp_path / "alone.csv").write_text("".join(rows[: end + 1]), "utf-8")
    assert main(["pairs", str(tmp_path / "alone.csv"), "-o", str(tmp_path / "pairs.csv")]) == 2
    assert "No finished hand in this file was played by two keepers." in capsys.readouterr().err


# ---------------------------------------------------------------- report


@pytest.fixture(scope="module")
def report_frames(actions) -> dict[str, pd.DataFrame]:
    """Returns the tables and plot data of a pair report, in which two rows per hand must not count twice."""
    data = gather_data(sources.read_hands([actions], print), {})
    made = [
        *pair_report.sections(data),
        report._transitions(data),
        report._sequences(data),
        report._routes(data),
    ]
    return {name: frame for section in made for name, frame in section.frames.items()}


def test_equally_trained_participants_share_a_condition(block_rows):
    assert [row["condition"] for row in block_rows] == [
        "game422.txt",
        "game442.txt",
        *["game422.txt + game442.txt"] * 2,
    ]


def test_partner_changes_are_followed_across_hands(report_frames, block_rows):
    (cost,) = report_frames["recovery"].query("cost == 'lost_after_change'").to_dict("records")
    assert cost["partners"] == "new partner, trained differently"
    assert (cost["pairs"], cost["groups"], cost["method"]) == (2, 1, "none")  # by now all have met
    assert cost["estimate"] == pytest.approx(fmean(row["lost_after_change"] for row in block_rows[2:]))
    curve = report_frames["recovery_moves_lost"]
    assert list(curve["since"]) == [*range(1 - LEARNT, LATER + 1)]
    assert set(curve["participants"]) == {4}
    of = curve.set_index("since")["mean"]
    first_less_last = of[[1, 2, 3, 4]].mean() - of[[-3, -2, -1, 0]].mean()
    assert first_less_last == pytest.approx(cost["estimate"], abs=1e-5)


def test_turns_of_each_keeper_have_times(report_frames):
    turns = report_frames["turns_by_seat"]
    assert set(turns["seat"]) == {"Ck", "Nk"}
    assert set(turns.loc[turns["place"] > LEARNT, "mean"]) == {2.0}


def test_baselines_play_each_seat_from_its_view(actions):
    data = gather_data(sources.read_hands([actions], print), {})
    few = data.counted[data.counted["hand"] == 7]
    found = baselines.baseline_rows(few, data.game)
    informed = found[found["baseline"] == "informed"].set_index(["hand_id", "seat"])
    assert len(informed) == len(few) == 4
    assert (informed[["pair_moves_lost", "played_out"]] == [0, 1]).all(axis=None)
    assert not {"own_seconds", "seconds_per_turn"} & set(informed.dropna(axis=1))  # baselines have no times


def test_hand_of_two_is_counted_once(report_frames, played_hands):
    ck_rows = [row for row in played_hands if row["seat"] == "ck"]
    moves = [frame["moves"].sum() for name, frame in report_frames.items() if name.startswith("transitions")]
    assert sum(moves) == sum(row["moves"] for row in ck_rows)
    assert report_frames["sequences"]["hands"].sum() == sum(row["outcome"] == "solved" for row in ck_rows)
    compete = sum(row["shorter_route"] != "" for row in ck_rows)
    assert report_frames["routes_of_pairs"]["hands"].sum() == compete


# ---------------------------------------------------------------- pair measures


def test_rows_of_two_partners_are_combined(played_hands):
    by_hand: dict[str, dict[str, Row]] = {}
    for row in played_hands:
        by_hand.setdefault(row["hand_id"], {})[row["seat"]] = row
    for seats in by_hand.values():
        row, both = joint.join_rows(seats), list(seats.values())
        assert row["best_play"] == int(row["outcome"] == "solved" and not row["moves_lost"])
        assert row["expected_moves"] == both[0]["expected_union"]
        assert row["own_moves"] == row["moves"] == row["ck_moves"] + row["nk_moves"]
        assert json.loads(row["settings"])["block"] == row["block"]
        if row["shorter_route"]:
            assert row["lost_by_422"] == max(one["lost_by_422"] for one in both)
