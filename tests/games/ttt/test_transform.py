"""The Transform summary (ruling 10)."""

from functools import reduce
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.ttt import rules, transform

DATA = Path(__file__).parents[2] / "data" / "ttt"
LINES = (DATA / "seed_transform.txt").read_text().splitlines()

layouts = st.permutations(TTT_PACK).map(tuple)


def test_the_source_s_five_sequences_solve_their_hands_and_only_with_the_last_move():
    hands = transform.read_summary(LINES, "seed_transform.txt")
    assert [sequence for _, sequence in hands] == ["TUPT", "TNPT", "PUPT", "UUTT", "CPUUPT"]
    for layout, sequence in hands:
        start = rules.start(rules.format_deal(layout, "2H", "ck"), {})
        *_, before, after = (
            reduce(lambda state, move: rules.apply(state, rules.SEAT, move), sequence[:n], start)
            for n in range(len(sequence) + 1)
        )
        assert after.solved
        assert not before.solved


def test_two_lines_a_hand_and_a_dash_for_none():
    layout = ("3H", "2C", "2H", "4C", "4H", "3C")
    assert transform.summary([(layout, "TUPT"), (layout, "")]) == [
        "3H\t2C\t2H\t4C\t4H\t3C",
        "TUPT",
        "3H\t2C\t2H\t4C\t4H\t3C",
        "-",
    ]
    assert transform.summary([]) == []


@given(st.lists(st.tuples(layouts, st.text("UCNTP", max_size=20))))
def test_what_is_written_reads_the_same(hands):
    assert transform.read_summary(transform.summary(hands), "x") == hands


def test_blanks_blank_lines_and_case_do_not_matter():
    lines = ["\ufeff3h  2C 2H\t4C 4H 3C \r\n", "\r\n", " t U pt\r\n", "", "3H 2C 2H 4C 4H 3C", " - "]
    layout = ("3H", "2C", "2H", "4C", "4H", "3C")
    assert transform.read_summary(lines, "x") == [(layout, "TUPT"), (layout, "")]


@pytest.mark.parametrize(
    ("lines", "place", "words"),
    [
        ([LINES[0], "CPUOPT"], (2, 4), "'O' is not a move"),
        ([LINES[0], LINES[0]], (2, 1), "'3' is not a move"),
        (["3H 2C 2H 4C 4H 5C", "U"], (1, 16), "'5C' is not a card"),
        (["3H 2C 2H 4C 4H 3h", "U"], (1, 16), "3H is there twice"),
        (["3H 2C 2H 4C 4H", "U"], (1, 15), "this line 5"),
        ([*LINES[:3], ""], (4, 1), "no sequence"),
    ],
)
def test_refusals_name_line_and_column(lines, place, words):
    with pytest.raises(BadFile) as caught:
        transform.read_summary(lines, "x")
    assert (caught.value.line, caught.value.column) == place
    assert words in caught.value.message


@given(st.lists(st.text() | st.sampled_from([LINES[0], "TUPT", "-", ""])))
def test_any_lines_are_read_or_refused(lines):
    line = 1
    try:
        transform.read_summary(lines, "x")
    except BadFile as error:
        line = error.line
    assert line >= 1
