"""Imports point one way: each package of ``cardlab`` names the packages below it that it may import."""

import ast
import re
import sys
from pathlib import Path

import pytest

from cardlab.games.registry import games_by_app, games_by_name

ROOT = Path(__file__).parent.parent
LIBRARY = "cardlab"
TOP = sorted(
    path.name
    for path in ROOT.iterdir()
    if path.is_dir() and not path.name.startswith((".", "_")) and any(path.rglob("*.py"))
)
# The packages that know oTree, from the lowest to the highest: each may import those before it, and games.
LEVELS = ("core", "guard", "sessions", "live", "groups", "pages", "exports", "admin", "server")
# What each package of the library, and each kind of folder beside it, may import of the project besides
# itself. The library itself (``cardlab``) holds the version and nothing else. An app (``app``) may import the
# apps that its game lists before it: what both need is in the first.
MAY_IMPORT = {
    "games": {LIBRARY},
    **{name: {LIBRARY, "games", *LEVELS[:place]} for place, name in enumerate(LEVELS)},
    "analysis": {LIBRARY, "games"},
    "rehearsal": {LIBRARY, "games"},
    "operations": {LIBRARY},
    "app": {LIBRARY, "games", *LEVELS},
    "deals": {LIBRARY, "games"},
}
NEVER = {
    "core": {"otree", "pandas"},
    "analysis": {"otree"},
    "deals": {"otree", "pandas"},
    "rehearsal": {"otree"},
}
# Packages for which Python's standard library is enough, and what else they may import. The rules are pure
# Python; optimisation is left to a library that does nothing else. lab.py runs before anything is installed;
# its command `test` starts the stages of the tests, which are in tests/.
LIBRARIES = {
    "games": {LIBRARY, "ortools"},
    "operations": {LIBRARY, "stages"},
    "rehearsal": {LIBRARY, "games", "websockets"},
}
PACKAGES = sorted(path.name for path in (ROOT / LIBRARY).iterdir() if (path / "__init__.py").exists())
PROJECT = {*TOP, *PACKAGES, *(path.stem for path in ROOT.glob("*.py"))}
FILES = [path for folder in TOP for path in sorted((ROOT / folder).rglob("*.py"))]


def owner_of(path):
    """The package of the library that a file belongs to, or the folder at the top."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == LIBRARY and len(parts) > 2 else parts[0]


def kind(owner):
    return "app" if owner.endswith("_app") else owner


def owners_of(module, names=()):
    """What an imported module belongs to: ``cardlab.games.ttt`` to ``games``, ``pandas.io`` to ``pandas``."""
    parts = module.split(".")
    if parts[0] != LIBRARY:
        return [parts[0]]
    if len(parts) > 1:
        return [parts[1]]
    return [name if name in PACKAGES else LIBRARY for name in names] or [LIBRARY]


def imported(source, owner):
    """What a source text imports, wherever in it, as (line, owner)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, each) for alias in node.names for each in owners_of(alias.name))
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            yield from (
                (node.lineno, each) for each in ([owner] if node.level else owners_of(node.module, names))
            )
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in ("import_module", "__import__"):
                module = node.args[0].value
                yield from (
                    (node.lineno, each) for each in ([owner] if module.startswith(".") else owners_of(module))
                )


def wrong_imports(source, owner):
    """What a file of this owner imports but must not, as "line 3: otree"."""
    rule = kind(owner)
    if rule not in MAY_IMPORT:
        return []
    apps = games_by_app()[owner].apps if owner in games_by_app() else (owner,)
    own = {owner, *apps[: apps.index(owner)]}
    forbidden = (PROJECT - MAY_IMPORT[rule] - own) | NEVER.get(rule, set())
    return [
        f"line {line}: {name}"
        for line, name in imported(source, owner)
        if name in forbidden
        or (owner in LIBRARIES and name not in sys.stdlib_module_names | {owner} | LIBRARIES[owner])
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path):
    assert wrong_imports(path.read_text(encoding="utf-8"), owner_of(path)) == []


@pytest.mark.parametrize(
    ("owner", "source"),
    [
        ("games", "import otree"),
        ("games", "from pandas import DataFrame"),
        ("games", "def late():\n    from cardlab.core.hand_cache import fold"),
        ("games", "import importlib\nimportlib.import_module('cardlab.analysis.read')"),
        ("games", "import settings"),
        ("operations", "import psycopg2"),
        ("operations", "from cardlab.games import contract"),
        ("core", "import otree.api"),
        ("core", "from cardlab.sessions.config import config_of"),
        ("sessions", "from cardlab.live import seat"),
        ("live", "from cardlab import pages"),
        ("pages", "from cardlab.admin import payments"),
        ("pages", "from ttt_solo_app import C"),
        ("server", "import cardlab.analysis.read"),
        ("analysis", "import otree.api"),
        ("analysis", "from cardlab.core.hand_cache import fold"),
        ("analysis", "import ttt_solo_app"),
        ("another_app", "import ttt_solo_app"),
        ("ttt_solo_app", "import ttt_pair_app"),
        ("another_app", "import cardlab.analysis"),
    ],
)
def test_upward_import_is_found(owner, source):
    assert len(wrong_imports(source, owner)) == 1


@pytest.mark.parametrize(
    ("owner", "source"),
    [
        ("games", "import random\nfrom cardlab.games.cards import rank\nfrom . import rules"),
        ("pages", "from otree.api import Page\nfrom cardlab.games.ttt import rules"),
        ("analysis", "import pandas\nfrom cardlab import __version__\nfrom cardlab.games.ttt import rules"),
        ("ttt_solo_app", "from cardlab.core.transitions import play\nfrom cardlab.games.ttt import rules"),
        ("ttt_pair_app", "from ttt_solo_app import check"),
        ("tests", "import cardlab.live.service, cardlab.analysis, otree"),
    ],
)
def test_downward_import_is_allowed(owner, source):
    assert wrong_imports(source, owner) == []


@pytest.mark.parametrize("package", sorted(MAY_IMPORT.keys() - {"app", "deals"}))
def test_packages_have_docstrings(package):
    text = (ROOT / LIBRARY / package / "__init__.py").read_text("utf-8")
    assert ast.get_docstring(ast.parse(text))


def test_every_package_has_a_rule():
    assert set(PACKAGES) == MAY_IMPORT.keys() - {"app", "deals"}
    assert {LIBRARY, "deals", "tests"} <= set(TOP)


# What is a game's own: its folders. Everything else finds games by where they lie (cardlab.games.registry).
OWN = re.compile(r"cardlab/(games|analysis/games)/[a-z]\w*/")


def named(source):
    """The games and apps that a source text names, as a module, an app or a title."""
    names = [
        *(name for game in games_by_name().values() for name in (*game.apps, game.title)),
        *(f"cardlab.games.{name}" for name in games_by_name()),
    ]
    return [name for name in names if re.search(rf"\b{re.escape(name)}\b", source)]


@pytest.mark.parametrize(
    "path",
    [
        path
        for path in FILES
        if path.relative_to(ROOT).parts[0] == LIBRARY
        and owner_of(path) not in ("operations", "rehearsal")
        and not OWN.match(path.relative_to(ROOT).as_posix())
    ],
    ids=lambda path: path.relative_to(ROOT).as_posix(),
)
def test_shared_code_names_no_game(path):
    assert named(path.read_text(encoding="utf-8")) == []


def test_named_game_is_found():
    assert named("from cardlab.games.ttt import rules") == ["cardlab.games.ttt"]
    assert named('app == "triangle_app"') == ["triangle_app"]
