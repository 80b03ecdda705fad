"""Tests the Transform summary (ruling 10)."""

from functools import reduce
from pathlib import Path

from cardlab.games.ttt import board, rules, transform

DATA = Path(__file__).parents[2] / "data" / "ttt"
LINES = (DATA / "seed_transform.txt").read_text().splitlines()


def test_source_sequences_solve_with_their_last_move():
    hands = [(tuple(layout.split()), sequence) for layout, sequence in zip(LINES[::2], LINES[1::2])]
    assert [line.split() for line in transform.summary(hands)] == [line.split() for line in LINES]
    assert [sequence for _, sequence in hands] == ["TUPT", "TNPT", "PUPT", "UUTT", "CPUUPT"]
    for layout, sequence in hands:
        start = rules.start(board.format_deal(layout, "2H", "ck"), {})
        *_, before, after = (
            reduce(lambda state, move: rules.apply(state, board.SEAT, move), sequence[:n], start)
            for n in range(len(sequence) + 1)
        )
        assert after.solved
        assert not before.solved


def test_summary_has_two_lines_per_hand():
    layout = ("3H", "2C", "2H", "4C", "4H", "3C")
    assert transform.summary([(layout, "TUPT"), (layout, "")]) == [
        "3H\t2C\t2H\t4C\t4H\t3C",
        "TUPT",
        "3H\t2C\t2H\t4C\t4H\t3C",
        "-",
    ]
    assert transform.summary([]) == []
