"""Checks that imports point one way, and other rules about modules, state and tests."""

import ast
import re
import sys
from collections import Counter
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
# The packages that know oTree, from the lowest to the highest. Each may import those before it, and games.
LEVELS = ("core", "guard", "sessions", "live", "groups", "pages", "exports", "admin", "server")
# What each package of the library, and each kind of folder beside it, may import from the project besides
# itself. The top level (``cardlab``) holds only the version. An app (``app``) may import the apps that its
# game lists before it, because shared code is in the first.
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
# Packages that use only Python's standard library, with the other modules that they may import. Rules are
# pure Python; their searches may use numpy and numba, with its llvmlite for processor instructions that numba
# does not offer. lab.py runs before anything is installed; its `test` command starts the stages in tests/.
LIBRARIES = {
    "games": {LIBRARY, "llvmlite", "numba", "numpy"},
    "operations": {LIBRARY, "stages"},
    "rehearsal": {LIBRARY, "games", "websockets"},
}
PACKAGES = sorted(path.name for path in (ROOT / LIBRARY).iterdir() if (path / "__init__.py").exists())
PROJECT = {*TOP, *PACKAGES, *(path.stem for path in ROOT.glob("*.py"))}
FILES = [path for folder in TOP for path in sorted((ROOT / folder).rglob("*.py"))]


# Holds the objects that cardlab/server/app.py builds, so it names their types, which come from all packages.
HOLDER = ROOT / LIBRARY / "live" / "lab.py"


def owner_of(path):
    """Returns the package of the library, or the top-level folder, that a file belongs to."""
    parts = path.relative_to(ROOT).parts
    return parts[1] if parts[0] == LIBRARY and len(parts) > 2 else parts[0]


def kind(owner):
    return "app" if owner.endswith("_app") else owner


def owners_of(module, names=()):
    """Returns the owners of an imported module, such as ``games`` for ``cardlab.games.ttt``."""
    parts = module.split(".")
    if parts[0] != LIBRARY:
        return [parts[0]]
    if len(parts) > 1:
        return [parts[1]]
    return [name if name in PACKAGES else LIBRARY for name in names] or [LIBRARY]


def without_imports_for_types(source):
    """Returns the syntax tree of a source text without the imports that only a type checker sees."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if not (isinstance(node, ast.If) and is_for_types(node.test))]
    return tree


def is_for_types(test):
    return isinstance(test, ast.Name) and test.id == "TYPE_CHECKING"


def imported(tree, owner):
    """Yields all imports in a tree as (line, owner)."""
    for node in ast.walk(tree):
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


def wrong_imports(tree, owner):
    """Returns the forbidden imports of a file of this owner, such as "line 3: otree"."""
    rule = kind(owner)
    if rule not in MAY_IMPORT:
        return []
    apps = games_by_app()[owner].apps if owner in games_by_app() else (owner,)
    own = {owner, *apps[: apps.index(owner)]}
    forbidden = (PROJECT - MAY_IMPORT[rule] - own) | NEVER.get(rule, set())
    return [
        f"line {line}: {name}"
        for line, name in imported(tree, owner)
        if name in forbidden
        or (
            owner in LIBRARIES and name not in sys.stdlib_module_names | {"tomllib", owner} | LIBRARIES[owner]
        )
    ]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_imports_point_down(path):
    source = path.read_text(encoding="utf-8")
    tree = without_imports_for_types(source) if path == HOLDER else ast.parse(source)
    assert wrong_imports(tree, owner_of(path)) == []


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
    assert len(wrong_imports(ast.parse(source), owner)) == 1


@pytest.mark.parametrize(
    ("owner", "source"),
    [
        ("games", "import random\nfrom cardlab.games.cards import rank\nfrom . import rules"),
        ("pages", "from otree.api import Page\nfrom cardlab.games.ttt import rules"),
        ("analysis", "import pandas\nfrom cardlab import __version__\nfrom cardlab.games.ttt import rules"),
        ("ttt_solo_app", "from cardlab.core.transitions import play\nfrom cardlab.games.ttt import rules"),
        ("ttt_pair_app", "from ttt_solo_app import check"),
        ("tests", "import cardlab.live.hand_service, cardlab.analysis, otree"),
    ],
)
def test_downward_import_is_allowed(owner, source):
    assert wrong_imports(ast.parse(source), owner) == []


@pytest.mark.parametrize("package", sorted(MAY_IMPORT.keys() - {"app", "deals"}))
def test_packages_have_docstrings(package):
    text = (ROOT / LIBRARY / package / "__init__.py").read_text("utf-8")
    assert ast.get_docstring(ast.parse(text))


@pytest.mark.parametrize("package", [*LEVELS[:-1], "analysis", "rehearsal"])
def test_package_docstring_names_permitted_imports(package):
    text = ast.get_docstring(
        ast.parse((ROOT / LIBRARY / package / "__init__.py").read_text(encoding="utf-8"))
    )
    named = set(re.findall(r"``(\w+)``", text.partition("May import")[2]))
    assert named == MAY_IMPORT[package] - {LIBRARY}


def test_every_package_has_a_rule():
    assert set(PACKAGES) == MAY_IMPORT.keys() - {"app", "deals"}
    assert {LIBRARY, "deals", "tests"} <= set(TOP)


def module_name(path, root=ROOT):
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported_modules(source, module, modules):
    """Returns the library modules that a module imports, with their parent packages, which load first.

    Imports inside functions count. Imports for type checkers do not, because they load nothing.
    """
    pending, names_found = [ast.parse(source)], set()
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        if isinstance(node, ast.Import):
            names_found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names_found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
        pending += ast.iter_child_nodes(node)
    loaded = {parent for name in names_found for parent in with_parents(name)}
    return (loaded & modules) - with_parents(module)


def with_parents(module):
    """Returns a module and its parent packages."""
    return {module[: match.start()] for match in re.finditer(r"\.|$", module)}


def import_cycles(graph):
    """Returns the groups of modules that import each other, directly or through others of the group."""
    reached = {}
    for module in graph:
        seen, pending = set(), [module]
        while pending:
            new = graph[pending.pop()] - seen
            seen |= new
            pending += new
        reached[module] = seen
    cyclic = [module for module in graph if module in reached[module]]
    return {
        tuple(sorted(other for other in cyclic if other in reached[module] and module in reached[other]))
        for module in cyclic
    }


def test_library_has_no_import_cycle():
    paths = {module_name(path): path for path in (ROOT / LIBRARY).rglob("*.py")}
    graph = {
        module: imported_modules(path.read_text(encoding="utf-8"), module, paths.keys())
        for module, path in paths.items()
    }
    assert import_cycles(graph) == set()


@pytest.mark.parametrize(
    "later",
    ["from cardlab.games import two", "def late():\n    import cardlab.games.two.three"],
)
def test_import_cycle_is_found(later):
    sources = {
        "cardlab.games.one": later,
        "cardlab.games.two": "",
        "cardlab.games.two.three": "",
        "cardlab.games.four": "if TYPE_CHECKING:\n    from cardlab.games import one",
    }
    sources["cardlab.games.two"] = "from cardlab.games.four import a\nfrom cardlab.games.one import b"
    graph = {name: imported_modules(source, name, sources.keys()) for name, source in sources.items()}
    (cycle,) = import_cycles(graph)
    assert set(cycle) >= {"cardlab.games.one", "cardlab.games.two"}
    assert "cardlab.games.four" not in cycle


# The folders of a single game. All other code finds games by their folders (cardlab.games.registry).
OWN = re.compile(r"cardlab/(games|analysis/games)/[a-z]\w*/")


def named(source):
    """Returns the games and apps that a source text names, by module, app or title."""
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


# --- State ---

# Stateful objects that cardlab/server/app.py does not build; only the module itself uses them.
OWN_STATE = {
    "cardlab/core/clock.py": {"SERVER"},  # already read while apps are imported
    "cardlab/core/hand_cache.py": {"_cache"},  # a cache of the database
    "cardlab/guard/log_masking.py": {"_names"},  # filled by SQLAlchemy listeners
    "cardlab/live/client.py": {"_tasks"},  # asyncio's recipe for background tasks
    "cardlab/server/otree_patches/database.py": {"PATCHES"},  # replaces oTree's own lock
    "ttt_solo_app/keeper_files.py": {"_codes_cache", "_files_cache"},  # caches of the database
    "cardlab/server/otree_patches/registry.py": {"_applied"},  # changes once, before anything is built
}
BUILDER = "cardlab/server/app.py"
CHANGING = {
    *("add", "append", "appendleft", "clear", "discard", "extend", "move_to_end", "pop"),
    *("popitem", "popleft", "remove", "setdefault", "update"),
}
STATEFUL_FILES = [path for path in FILES if owner_of(path) in LEVELS or kind(owner_of(path)) == "app"]


def targets_of(node):
    """Yields the targets that a statement or a call changes."""
    if isinstance(node, ast.Assign | ast.Delete):
        for target in node.targets:
            yield from target.elts if isinstance(target, ast.Tuple) else [target]
    elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.AnnAssign) and node.value):
        yield node.target
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in CHANGING:
        yield node.func


def root_of(target):
    """Returns the name at the root of a target, and the number of attributes, items and calls after it."""
    steps = 0
    while isinstance(target, ast.Attribute | ast.Subscript | ast.Call):
        target, steps = target.func if isinstance(target, ast.Call) else target.value, steps + 1
    return (target.id, steps) if isinstance(target, ast.Name) else ("", 0)


def stateful_classes(trees):
    """Returns the classes with a method, other than the constructor, that changes the object."""
    return {
        definition.name
        for tree in trees
        for definition in ast.walk(tree)
        if isinstance(definition, ast.ClassDef)
        for method in definition.body
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef) and method.name != "__init__"
        for node in ast.walk(method)
        for target in targets_of(node)
        if root_of(target)[0] == "self" and root_of(target)[1]
    }


def shared_state(source, path, classes):
    """Returns the module-level objects that a file's functions change, such as "line 3: REPORTS"."""
    tree, state = ast.parse(source), {}
    modules, imported_names, own = set(), set(), set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith((LIBRARY, *TOP)):
            for alias in node.names:
                file = ROOT / (node.module or "").replace(".", "/") / f"{alias.name}.py"
                (modules if file.exists() else imported_names).add(alias.asname or alias.name)
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value:
            names = {root_of(target)[0] for target in targets_of(node)}
            own |= names
            for call in ast.walk(node.value):
                called = call.func if isinstance(call, ast.Call) else None
                if called is not None and ast.unparse(called).rpartition(".")[2] in classes:
                    state[node.lineno] = names
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        nodes = list(ast.walk(function))
        local = {node.arg for node in nodes if isinstance(node, ast.arg)}
        local |= {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        for node in nodes:
            if isinstance(node, ast.Global):
                state[node.lineno] = set(node.names)
            for target in targets_of(node):
                name, steps = root_of(target)
                reached_by_lab = name == "LAB" and (isinstance(node, ast.Call) or path == BUILDER)
                in_module = name in modules and (steps > 1 or not isinstance(node, ast.Call))
                is_shared = name in own | imported_names or (in_module and is_of_project(source, name))
                if steps and is_shared and name not in local and not reached_by_lab:
                    state[node.lineno] = {name}
    allowed = OWN_STATE.get(path, set())
    return [f"line {line}: {name}" for line, names in sorted(state.items()) for name in names - allowed]


def is_of_project(source, name):
    """Returns whether a source text imports this name from one of the project's modules."""
    return bool(re.search(rf"from (cardlab|\w+_app)[\w.]* import [^\n]*\b{name}\b", source))


STATEFUL = stateful_classes(ast.parse(path.read_text(encoding="utf-8")) for path in STATEFUL_FILES)


@pytest.mark.parametrize("path", STATEFUL_FILES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_module_shares_its_state(path):
    name = path.relative_to(ROOT).as_posix()
    assert shared_state(path.read_text(encoding="utf-8"), name, STATEFUL) == []


@pytest.mark.parametrize(
    "source",
    [
        "from cardlab.live.presence import Presence\nPRESENCE = Presence()",
        "_seats = {}\ndef take(code):\n    _seats[code] = 1",
        "_seats: dict[str, int] = {}\ndef leave(code):\n    del _seats[code]",
        "_known = set()\nasync def learn(code):\n    _known.add(code)",
        "limit = 1\ndef read():\n    global limit\n    limit = 2",
        "from cardlab.core.clock import SERVER\ndef start():\n    SERVER.jumps.append(1)",
        "from cardlab.core import clock\ndef start():\n    clock.SERVER.jumps = []",
        "from cardlab.live.lab import LAB\ndef start():\n    LAB.hub = None",
    ],
)
def test_shared_state_is_found(source):
    assert len(shared_state(source, "cardlab/live/new.py", STATEFUL)) == 1


@pytest.mark.parametrize(
    "source",
    [
        "NAMES = ('a', 'b')\ndef names():\n    own = []\n    own.append(NAMES)\n    return own",
        "from cardlab.live.lab import LAB\ndef extend(code):\n    LAB.hub.extend(code, 1)",
        "from cardlab.live import notices\ndef note(code):\n    notices.add(code)",
    ],
)
def test_local_objects_do_not_count_as_shared_state(source):
    assert shared_state(source, "cardlab/live/new.py", STATEFUL) == []


# --- Tests ---

MAX_WORDS = 8  # of a test's name, not counting `test`


def test_test_names_have_at_most_eight_words():
    """A name states the behaviour that the test pins; longer explanations belong in the docstring."""
    long = [
        f"{path.relative_to(ROOT)}: {node.name}"
        for path in FILES
        if path.name.startswith("test_")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_")
        if len(node.name.removeprefix("test_").split("_")) > MAX_WORDS
    ]
    assert long == []


def test_files_of_tests_have_different_names():
    """Pytest cannot collect two files of one name in folders without packages, and it sorts them by name."""
    counts = Counter(path.name for path in (ROOT / "tests").rglob("test_*.py"))
    assert {name for name, count in counts.items() if count > 1} == set()


def test_longest_first_lists_existing_files(pytestconfig):
    """The order in ``tests/conftest.py`` ignores unknown names, so a renamed file would lose its position."""
    conftest = pytestconfig.pluginmanager.get_plugin(str(ROOT / "tests" / "conftest.py"))
    files = {path.name for path in FILES}
    assert [name for name in conftest.LONGEST_FIRST if name not in files] == []
