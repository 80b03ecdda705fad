"""Tests show files: their contents and refusals with positions (rulings 2 and 9)."""

from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.ttt import board, rules, show_file

DATA = Path(__file__).parents[2] / "data" / "ttt"
LINEAR = (DATA / "StaticExampleLinear.txt").read_text()
CIRCULAR = (DATA / "DynamicExampleCircular.txt").read_text()
ROW = "3H\t2C\t2H\t4C\t4H\t3C\t2H\tck"
DEAL = "3H 2C 2H 4C 4H 3C | 2H | ck"

deals = st.builds(
    board.format_deal,
    st.permutations(TTT_PACK).map(tuple),
    st.sampled_from(TTT_PACK),
    st.sampled_from(["ck", "nk"]),
).filter(lambda deal: deal.split()[3] != deal.split()[7])


def refused(text, **settings):
    with pytest.raises(BadFile) as caught:
        show_file.read(text, "show.txt", **settings)
    assert caught.value.file == "show.txt"
    return caught.value.line, caught.value.column, caught.value.message


def test_source_static_table_is_linear():
    read = show_file.read(LINEAR, "StaticExampleLinear.txt")
    assert read.order == "LINEAR"
    assert read.warnings == ()
    assert read.hands == tuple(
        f"{' '.join(line.split()[:6])} | 2H | ck" for line in LINEAR.splitlines() if line.strip()
    )
    assert len(read.hands) == 8


def test_source_dynamic_table_is_circular():
    read = show_file.read(CIRCULAR, "DynamicExampleCircular.txt", order="CIRCULAR")
    assert read.warnings == ()
    assert len(read.hands) == 10
    assert read.hands[0] == DEAL
    assert read.hands[4] == "4H 4C 2H 2C 3H 3C | 4H | ck"
    assert read.hands[9] == "3C 3H 2C 4C 4H 2H | 2H | nk"


def test_wrong_order_puts_the_goal_in_target():
    line, column, message = refused(LINEAR, order="CIRCULAR")
    assert (line, column) == (7, 16)
    assert "2H is already in Target" in message
    line, column, message = refused(CIRCULAR, order="LINEAR")
    assert (line, column) == (6, 10)  # row 5, below the heading
    assert "4H is already in Target" in message


def test_linear_order_solves_some_dynamic_rows_at_once():
    solved = []
    for number, row in enumerate(CIRCULAR.splitlines()[1:], start=1):
        try:
            show_file.read(row, "x")
        except BadFile:
            solved.append(number)
    assert solved == [5, 9]


@pytest.mark.parametrize(
    "text",
    [
        ROW,
        ROW + "\r\n",
        "\ufeff" + ROW + "\n",
        ROW.replace("\t", "  ") + "  ",
        "  " + ROW,
        ROW.lower(),
        ROW.upper(),
        f"// a comment\n; another\n  # a third\n\n{ROW}\n\n",
        f"C\tCk\tUP\tT\tN\tNk\tG\tFirstMove\n{ROW}",
        f"c ck up t n nk\n{ROW}",
        f"C Ck UP T N Nk Goal First Move\r\n{ROW}",
        f"C Ck UP T N Nk FirstMove\n{ROW}",
        ROW.removesuffix("\tck"),
        ROW.removesuffix("\t2H\tck"),
    ],
)
def test_spellings_of_a_hand_are_equivalent(text):
    assert show_file.read(text, "show.txt") == show_file.ShowFile((DEAL,), "LINEAR")


def test_settings_fill_in_missing_goal_and_first_mover():
    cards = "3H 2C 2H 4C 4H 3C"
    read = show_file.read(f"{cards}\n{cards} 3H\n{cards} 3H ck\n", "show.txt", goal="4H", first="nk")
    assert [hand.split(" | ", 1)[1] for hand in read.hands] == ["4H | nk", "3H | nk", "3H | ck"]


def test_heading_gives_a_warning_but_never_decides():
    read = show_file.read(f"NK N UP C CK T G FirstMove\n{ROW}", "show.txt")
    assert read.hands == (DEAL,)
    (warning,) = read.warnings
    assert warning.startswith("show.txt, line 1: the heading is in CIRCULAR order")


@pytest.mark.parametrize("line", ["// order: circular", "//ORDER:CIRCULAR", "  // Order :  Circular  "])
@pytest.mark.parametrize("place", ["before", "after"])
def test_order_in_the_file_overrides_the_settings(line, place):
    rows = CIRCULAR.rstrip("\n")
    text = f"{line}\n{rows}\n" if place == "before" else f"{rows}\n{line}\n"
    read = show_file.read(text, "show.txt", order="LINEAR")
    assert read.order == "CIRCULAR"
    assert read.hands[0] == DEAL


@pytest.mark.parametrize(
    ("text", "place", "words"),
    [
        (f"{ROW}\n3H\t2C\t5H\t4C\t4H\t3C", (2, 7), "'5H' is not a card"),
        (f"\n C Ck UP T N Nk G FirstMov\n{ROW}", (2, 2), "heading is misspelt. Write C Ck UP T N Nk G F"),
        (f"C Ck UP Tg N Nk\n{ROW}", (1, 1), "This heading is misspelt"),
        ("3H 2C 2 H 4C 4H 3C", (1, 7), "'2' is not a card"),
        ("3H 2C 2H 4C 4H 2h 2H ck", (1, 16), "2H appears twice"),
        ("3H 2C 2H 4C 4H", (1, 15), "5 fields"),
        ("3H 2C 2H 4C 4H 3C 2H ck x", (1, 25), "9 fields"),
        ("3H 2C 2H 4C 4H 3C ck", (1, 19), "goal card"),
        ("3H 2C 2H 4C 4H 3C 4c ck", (1, 10), "is already in Target"),
        ("\ufeff3H 2C 2H 4C 4H 3C 2H xk", (1, 22), "must be ck or nk, not 'xk'"),
        ("", (1, 1), "This file has no hands"),
        ("// nothing\n\nC Ck UP T N Nk\n", (1, 1), "This file has no hands"),
        (f"{ROW}\n// order: SQUARE", (2, 11), "LINEAR or CIRCULAR, not 'SQUARE'"),
        ("// order:", (1, 10), "not ''"),
        (f"// order: LINEAR\n{ROW}\n// order: CIRCULAR", (3, 11), "earlier line"),
    ],
)
def test_refusals_name_line_and_column(text, place, words):
    line, column, message = refused(text)
    assert (line, column) == place
    assert words in message


def test_default_goal_in_target_is_refused():
    assert refused("3H 2C 2H 4C 4H 3C", goal="4C")[:2] == (1, 10)


def test_too_many_hands_are_refused():
    text = f"{ROW}\n" * 3
    assert len(show_file.read(text, "show.txt", at_most=3).hands) == 3
    line, column, message = refused(text, at_most=2)
    assert (line, column) == (3, 1)
    for words in ("3 hands", "NUM_ROUNDS in the app's __init__.py"):
        assert words in message


def test_long_token_is_shortened_in_errors():
    assert len(refused("x" * 10_000)[2]) < 120


@given(st.lists(deals, min_size=1, max_size=5), st.sampled_from(["LINEAR", "CIRCULAR"]))
def test_written_file_is_read_back(hands, order):
    text = show_file.write(hands, order, comments=("made for a test", ""))
    other = "LINEAR" if order == "CIRCULAR" else "CIRCULAR"
    assert show_file.read(text, "show.txt", order=other) == show_file.ShowFile(tuple(hands), order)


def test_written_file_has_the_sources_layout():
    deals = show_file.read(CIRCULAR, "x", order="CIRCULAR").hands
    text = show_file.write(deals, "CIRCULAR", comments=["ten hands"])
    assert text == "// ten hands\n// order: CIRCULAR\n" + CIRCULAR


@given(
    st.text()
    | st.lists(st.sampled_from([*TTT_PACK, "ck", "nk", "\t", "\n", " ", "// order:", "G"])).map("".join)
)
def test_any_text_is_read_or_refused(text):
    try:
        read = show_file.read(text, "show.txt")
    except BadFile as error:
        place = error.line, error.column
    else:
        place = 1, 1
        assert all(rules.start(hand, {}) for hand in read.hands)
    assert min(place) >= 1


def test_layout_is_refused_only_with_goal_in_target():
    for layout in permutations(TTT_PACK):
        if layout[3] == "2H":
            refused(" ".join(layout))
        else:
            assert show_file.read(" ".join(layout), "x").hands == (f"{' '.join(layout)} | 2H | ck",)


# The design of a file

DESIGNED = "// learning_hands: 1\n// familiar_route: 442\n"
A_HAND = "3H 2C 2H 4C 4H 3C\n"


def test_file_may_state_its_design():
    read = show_file.read(DESIGNED + A_HAND, "x")
    assert (read.learning_hands, read.familiar_route) == (1, "442")
    plain = show_file.read(A_HAND, "x")
    assert (plain.learning_hands, plain.familiar_route) == (0, "")
    design = {"learning_hands": 1, "familiar_route": "442"}
    assert show_file.read(show_file.write(read.hands, "LINEAR", design=design), "x") == read


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("// learning_hands: 3", "from 1 to 1 .the hands in the file., not '3'"),
        ("; learning_hands: many", "not 'many'"),
        ("# familiar_route: 424", "must be 422 or 442, not '424'"),
    ],
)
def test_invalid_design_error_has_its_position(line, says):
    with pytest.raises(BadFile, match=says) as refusal:
        show_file.read(f"{A_HAND}{line}\n", "x")
    assert (refusal.value.line, refusal.value.column) == (2, line.index(":") + 3)


def test_contradicting_design_lines_are_refused():
    with pytest.raises(BadFile, match="An earlier line sets familiar_route to 422"):
        show_file.read(f"{A_HAND}// familiar_route: 422\n// familiar_route: 442\n", "x")
