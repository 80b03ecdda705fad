"""Tests the value of later turns in the matrix game against an enumeration by the rules of the game."""

import csv
import random
from dataclasses import replace
from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from cardlab.analysis.choice_models import MODELS, checks, fitting, level_k
from cardlab.analysis.choice_models.data import make_choices
from cardlab.analysis.commands import main
from cardlab.analysis.games.matrix import choice_fits, choices, later_turns
from cardlab.games.matrix import board, rules
from cardlab.games.matrix.packs import COLUMNS, column, value


def play_some(seed: int, turns: int, options: dict[str, object]) -> rules.State:
    """Returns the state before the choices of a turn, after random play."""
    state, chance = rules.start(rules.deal(str(seed), options), options), random.Random(seed)
    while len(state.turns) < turns or state.rotator:
        seat = rules.waiting_for(state)[0]
        state = rules.apply(state, seat, chance.choice(rules.legal_actions(state, seat)))
    return state


def enumerate_later(crosses, seat: str, state: rules.State, turns: int) -> Fraction:
    """Returns a seat's mean points over all sequences of cells that the turns of all pairs can select."""
    axis = board.SEATS.index(seat) % 2
    pairs = len(state.seats) // 2
    orders = list(product(range(4), repeat=turns * pairs))
    total = 0
    for order in orders:
        taken = set()
        for number, cell in enumerate(order, 1):
            if number % pairs == 0 and cell not in taken:
                total += value(crosses[cell][axis], state.options)
            taken.add(cell)
    return Fraction(total, len(orders))


def enumerate_cell(state: rules.State, seat: str, columns, turns: int) -> tuple[Fraction, Fraction] | None:
    """Returns the mean later points of a seat and its partner, or None if no card fits the columns."""
    partner = next(other for other in state.pair if other != seat)
    hidden = [card for other, hand in zip(state.seats, state.hands) if other != seat for card in hand]
    hidden += state.stock
    own_cards = [card for card in state.hand(seat) if column(card) == columns[0]]
    answers = [card for card in hidden if column(card) == columns[1]]
    if not own_cards or not answers:
        return None
    own_card = max(own_cards, key=lambda card: value(card, state.options))
    found = []
    for answer in answers:
        hands = tuple(
            (answer, *hand[1:]) if other == partner else hand for other, hand in zip(state.seats, state.hands)
        )
        after = rules.apply(replace(state, hands=hands), seat, f"play {own_card}")
        after = rules.apply(after, partner, f"play {answer}")
        tables = [after.crosses]
        if after.rotator:
            actions = rules.legal_actions(after, after.rotator)
            tables = [rules.apply(after, after.rotator, action).crosses for action in actions]
        rotator = after.rotator or seat
        best = max(tables, key=lambda crosses: enumerate_later(crosses, rotator, state, turns))
        found.append([enumerate_later(best, one, state, turns) for one in (seat, partner)])
    own, other = (sum(points) / len(found) for points in zip(*found))
    return own, other


@pytest.mark.parametrize(
    ("played", "turns", "options"),
    [
        *((played, turns, {}) for played, turns in ((0, 1), (5, 2), (13, 3), (18, 2))),
        (3, 2, {"pack": "special"}),
        (2, 1, {"players": 4}),
        (5, 2, {"players": 4, "court": "ladder"}),
    ],
)
def test_later_points_agree_with_an_enumeration(played, turns, options):
    state = play_some(played, played, options)
    turn = rules.Turn(state.turn, state.pair, state.crosses, ("", ""), (True, True), "", ("", ""))
    compared = 0
    for seat in state.pair:
        found = later_turns.find_later_points(state, turn, seat, turns)
        for i, j in product((0, 1), repeat=2):
            expected = enumerate_cell(state, seat, (COLUMNS[i], COLUMNS[j]), turns)
            if expected is not None:
                assert [points[i][j] for points in found] == pytest.approx([*map(float, expected)])
                compared += 1
    assert compared >= 4


def test_nothing_follows_the_last_turn():
    for played, turns in ((21, 5), (20, 1)):
        state = play_some(1, played, {})
        turn = rules.Turn(state.turn, state.pair, state.crosses, ("", ""), (True, True), "", ("", ""))
        own, other = later_turns.find_later_points(state, turn, "S", turns)
        assert bool(np.any(own) or np.any(other)) == (played == 20)
    # Fewer turns remain than are looked ahead.
    assert later_turns.find_later_points(state, turn, "S", 9) == (own, other)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Provides a simulated table of actions, and its tables of choices without and with two later turns."""
    path = tmp_path_factory.mktemp("later") / "matrix.csv"
    assert main(["simulate", "matrix", "--participants", "4", "--hands", "2", "-o", str(path)]) == 0
    tables = []
    for look_ahead in (0, 2):
        out = path.with_name(f"choices_{look_ahead}.csv")
        assert main(["choices", str(path), "--look-ahead", str(look_ahead), "-o", str(out)]) == 0
        with out.open(encoding="utf-8", newline="") as file:
            tables.append(list(csv.DictReader(file)))
    return path, *tables


def test_look_ahead_changes_payoffs_alone(table):
    changing = {"look_ahead", "best_to_other", "best_to_uniform", "best_to_belief"}
    changing |= {f"{player}_{cell}" for player in ("own", "other") for cell in ("LL", "LR", "RL", "RR")}
    _path, now, later = table
    differs = set()
    for first, second in zip(now, later, strict=True):
        differs |= {name for name in first if first[name] != second[name]}
        if first["turn"] == "22":
            assert float(first["own_LL"]) == float(second["own_LL"])
    assert differs == changing
    assert list(now[0]) == list(choices.COLUMNS)


def test_best_responses_use_the_value_of_later_turns(table):
    for row in table[2]:
        right, left = (float(row[f"own_{side}L"]) + float(row[f"own_{side}R"]) for side in ("R", "L"))
        if abs(right - left) > 1e-5:
            assert row["best_to_uniform"] == str(int((right > left) == (row["choice"] == "right")))


def test_players_who_look_ahead_are_told_apart(table):
    people = {}
    for row in (*table[1], *table[2]):
        own = people.setdefault(row["participant_code"], {})
        own.setdefault(row["look_ahead"], []).append(row)
    model, rng, right = level_k.LEVELS[0], np.random.default_rng(1), 0
    for by_look_ahead in people.values():
        turns = {number: make_choices(rows) for number, rows in by_look_ahead.items()}
        for true, own_turns in turns.items():
            chosen = model.draw((0.6,), own_turns, rng).chosen
            fits = {
                number: fitting.fit_person(model, each.with_chosen(chosen)).log_likelihood
                for number, each in turns.items()
            }
            right += max(fits, key=fits.__getitem__) == true
    assert right >= 7  # of 8


def test_models_are_compared_over_look_aheads(table, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(checks, "SIMULATIONS", 5)
    monkeypatch.setattr(checks, "FOLDS", 2)
    monkeypatch.setattr(fitting, "EM_STEPS", 1)
    monkeypatch.setattr(choice_fits, "MODELS", MODELS[:3])
    out, source = tmp_path / "models.csv", str(table[0])
    asked = ["choice_models", source, "--look-ahead", "2,0", "--jobs", "1", "-o", str(out)]
    assert main(asked) == 0
    assert "Wrote 4 participants with 5 models" in capsys.readouterr().out
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    own = [row for row in rows if row["participant_code"] == rows[0]["participant_code"]]
    assert [(row["model"], row["look_ahead"]) for row in own] == [
        ("random", "0"),  # it ignores payoffs
        *((model, look_ahead) for model in ("level_1", "level_2") for look_ahead in ("0", "2")),
    ]
    assert sum(float(row["weight"]) for row in own) == pytest.approx(1, abs=1e-4)
    likelihoods = {row["log_likelihood"] for row in own if row["model"] == "level_1"}
    assert len(likelihoods) == 2


def test_wrong_look_ahead_is_refused(table, tmp_path, capsys):
    for command, text, allowed in (
        ("choices", "22", "below 22"),
        ("choice_models", "0,x", "from 0 to 21"),
    ):
        with pytest.raises(SystemExit):
            main([command, str(table[0]), "--look-ahead", text, "-o", str(tmp_path / "out.csv")])
        assert allowed in capsys.readouterr().err
