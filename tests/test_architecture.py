"""Imports point one way: games ← experiment ← apps, and games ← analysis."""

import ast
import re
import sys
from pathlib import Path

import pytest

from games.registry import by_app, by_name

ROOT = Path(__file__).parent.parent
ROOMS = sorted(
    path.name
    for path in ROOT.iterdir()
    if path.is_dir() and not path.name.startswith((".", "_")) and any(path.rglob("*.py"))
)
# What of the project each room may import besides itself; an app has the word `app` here, and may import the
# apps that its game has before it: what both need stands in the first.
MAY_IMPORT = {
    "games": set(),
    "experiment": {"games"},
    "app": {"games", "experiment"},
    "analysis": {"games"},
    "deals": {"games"},
    "laboratory": set(),
    "rehearsal": {"games"},
}
NEVER = {"analysis": {"otree"}, "deals": {"otree", "pandas"}, "rehearsal": {"otree"}}
# Rooms that Python's standard library is enough for, and what else they may import. The rules are pure
# Python; optimisation is left to a library that does nothing else. lab.py runs before anything is installed;
# its command `test` starts the stages of the tests, which stand there.
LIBRARIES = {"games": {"ortools"}, "laboratory": {"stages"}, "rehearsal": {"games", "websockets"}}
PROJECT = {*ROOMS, *(path.stem for path in ROOT.glob("*.py"))}
FILES = [path for room in ROOMS for path in sorted((ROOT / room).rglob("*.py"))]


def kind(room):
    return "app" if room.endswith("_app") else room


def imported(source, room):
    """The first names of all modules that a source text imports, wherever in it, as (line, name)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name.split(".")[0]) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.lineno, room if node.level else node.module.split(".")[0]
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                yield (
                    node.lineno,
                    room if node.args[0].value.startswith(".") else node.args[0].value.split(".")[0],
                )


def wrong_imports(source, room):
    """What a file of this room imports but must not, as "line 3: otree"."""
    rule = kind(room)
    if rule not in MAY_IMPORT:
        return []
    apps = by_app()[room].apps if room in by_app() else (room,)
    own = {room, *apps[: apps.index(room)]}
    forbidden = (PROJECT - MAY_IMPORT[rule] - own) | NEVER.get(rule, set())
    return [
        f"line {line}: {name}"
        for line, name in imported(source, room)
        if name in forbidden
        or (room in LIBRARIES and name not in sys.stdlib_module_names | {room} | LIBRARIES[room])
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_a_file_imports_only_what_its_room_may(path):
    assert wrong_imports(path.read_text(encoding="utf-8"), path.relative_to(ROOT).parts[0]) == []


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("games", "import otree"),
        ("games", "from pandas import DataFrame"),
        ("games", "def late():\n    from experiment.folds import fold"),
        ("games", "import importlib\nimportlib.import_module('analysis.read')"),
        ("games", "import settings"),
        ("laboratory", "import psycopg2"),
        ("laboratory", "from games import contract"),
        ("experiment", "from ttt_solo_app import C"),
        ("experiment", "import analysis.read"),
        ("analysis", "import otree.api"),
        ("analysis", "from experiment.folds import fold"),
        ("analysis", "import ttt_solo_app"),
        ("another_app", "import ttt_solo_app"),
        ("ttt_solo_app", "import ttt_pair_app"),
        ("another_app", "import analysis"),
    ],
)
def test_an_import_against_the_direction_is_found(room, source, monkeypatch):
    project = {"games", "experiment", "analysis", "ttt_solo_app", "ttt_pair_app", "settings"}
    monkeypatch.setattr(sys.modules[__name__], "PROJECT", project)
    assert len(wrong_imports(source, room)) == 1


@pytest.mark.parametrize(
    ("room", "source"),
    [
        ("games", "import random\nfrom games.cards import rank\nfrom . import rules"),
        ("experiment", "from otree.api import Page\nfrom games.ttt import rules"),
        ("analysis", "import pandas\nfrom games.ttt import rules"),
        ("ttt_solo_app", "from experiment.play import play\nfrom games.ttt import rules"),
        ("ttt_pair_app", "from ttt_solo_app import check"),
        ("tests", "import experiment, analysis, otree"),
    ],
)
def test_an_import_along_the_direction_is_allowed(room, source):
    assert wrong_imports(source, room) == []


# What is a game's own: its folders. Everything else finds games by where they lie (games.registry).
OWN = re.compile(r"(games|analysis/games)/[a-z]\w*/")


def named(source):
    """The games and apps that a source text names, as a module, an app or a title."""
    names = [
        *(name for game in by_name().values() for name in (*game.apps, game.title)),
        *(f"games.{name}" for name in by_name()),
    ]
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", source)]


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in FILES
        if path.relative_to(ROOT).parts[0] in ("games", "experiment", "analysis")
        and not OWN.match(path.relative_to(ROOT).as_posix())
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_nothing_outside_a_games_folders_names_it(path):
    assert named(path.read_text(encoding="utf-8")) == []


def test_a_game_that_is_named_is_found():
    assert named("from games.ttt import rules") == ["games.ttt"]
    assert named('app == "triangle_app"') == ["triangle_app"]


def test_the_rooms_are_there():
    assert {"games", "deals", "tests"} <= set(ROOMS)
