"""Tests the show files in deals/ttt: they load, equal the generated ones, and agree with their README."""

from collections import Counter
from pathlib import Path

import pytest

from cardlab.games.ttt.board import parse_deal
from cardlab.games.ttt.routes import route_moves
from cardlab.games.ttt.show_file import read
from cardlab.games.ttt.solver import least_moves, shortest
from deals.ttt import generate

FOLDER = Path(generate.__file__).parent
SOURCE = Path(__file__).parents[2] / "data" / "ttt"
NAMES = [
    "DynamicExample.txt",
    "DynamicExampleCircular.txt",
    "demo.txt",
    "familiar442.txt",
    "game422.txt",
    "game442.txt",
    "mixed.txt",
    "practice.txt",
    "transfer422.txt",
    "transfer442.txt",
]
GENERATED_ROUTES = ["familiar442.txt", "game422.txt", "game442.txt", "transfer422.txt", "transfer442.txt"]


def load(name, folder=FOLDER, order="LINEAR"):
    text = (folder / name).read_text(encoding="utf-8")
    return read(text, name, order=order, goal="2H", first="ck", at_most=60)


def hands(name):
    """Returns the hands of a shipped file, each as (layout, goal, first)."""
    return [parse_deal(hand) for hand in load(name).hands]


def shorter_routes(some_hands):
    """Returns the shorter route of each hand, in the order of the hands."""
    assert all(layout[3] == "4C" and (goal, first) == ("2H", "ck") for layout, goal, first in some_hands)
    lengths = [route_moves(*hand) for hand in some_hands]
    assert all(moves["422"] != moves["442"] for moves in lengths)
    return ["422" if moves["422"] < moves["442"] else "442" for moves in lengths]


def test_shipped_files_have_the_known_names():
    assert set(generate.files()) == set(NAMES)
    assert {name for name in NAMES if (FOLDER / name).exists()} == set(NAMES)


@pytest.mark.parametrize("order", ["LINEAR", "CIRCULAR"])
@pytest.mark.parametrize("name", NAMES)
def test_every_file_loads_without_warning_in_any_order(name, order):
    loaded = load(name, order=order)
    assert loaded.warnings == ()
    assert loaded.order == ("CIRCULAR" if name == "DynamicExampleCircular.txt" else "LINEAR")
    assert loaded.hands == load(name).hands


def test_readme_describes_every_file():
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    for name in NAMES:
        assert f"| `{name}` | {len(hands(name))} |" in readme


def test_dynamic_example_equals_the_source_in_both_orders():
    source = load("DynamicExampleCircular.txt", SOURCE, order="CIRCULAR").hands
    assert len(source) == 10
    assert load("DynamicExampleCircular.txt").hands == source
    assert load("DynamicExample.txt").hands == source
    assert hands("DynamicExample.txt")[0] == (("3H", "2C", "2H", "4C", "4H", "3C"), "2H", "ck")


def test_game422_begins_with_the_source_hands():
    source = load("StaticExampleLinear.txt", SOURCE).hands
    assert len(source) == 8
    assert load("game422.txt").hands[:8] == source


def test_other_game_hands_favour_the_named_route():
    assert shorter_routes(hands("game422.txt")[8:]) == ["422"] * 32
    assert shorter_routes(hands("game442.txt")) == ["442"] * 40


@pytest.mark.parametrize("route", ["422", "442"])
def test_transfer_files_favour_one_route_then_both_equally(route):
    shorter = shorter_routes(hands(f"transfer{route}.txt"))
    assert shorter[:16] == [route] * 16
    assert Counter(shorter[16:]) == {"422": 8, "442": 8}
    assert shorter[16:24] not in (["422"] * 8, ["442"] * 8), "the two routes are not mixed"


def test_both_training_files_have_the_same_test():
    assert shorter_routes(hands("familiar442.txt"))[:16] == ["442"] * 16
    assert hands("familiar442.txt")[16:] == hands("transfer422.txt")[16:] == hands("mixed.txt")


@pytest.mark.parametrize("name", GENERATED_ROUTES)
def test_generated_layouts_are_unique_within_a_file(name):
    layouts = [layout for layout, _, _ in hands(name)]
    generated = layouts[8:] if name == "game422.txt" else layouts
    assert max(Counter(generated).values()) == 1
    if name == "game422.txt":
        assert not set(generated) & set(layouts[:8])


def test_practice_hands_are_easy_neutral_and_unique():
    practice = hands("practice.txt")
    assert [least_moves(*hand) for hand in practice] == [2, 3, 3, 4]
    assert all(layout[3] != "4C" and (goal, first) == ("2H", "ck") for layout, goal, first in practice)
    assert {shortest(*hand).count("T") for hand in practice} == {1}
    elsewhere = {layout for name in NAMES if name != "practice.txt" for layout, _, _ in hands(name)}
    assert not {layout for layout, _, _ in practice} & elsewhere


def test_demo_begins_with_the_source_sample_game():
    demo = hands("demo.txt")
    assert len(demo) == 3
    layout, goal, first = demo[0]
    assert (layout[0], layout[3], layout[5], goal, first) == ("2H", "4C", "4H", "2H", "ck")
    assert shortest(*demo[0]) == "CTT"
