"""The lines that ``cardlab add`` writes into an oTree project's ``settings.py`` and ``project.py``.

The config of an app is the first one of it in Card Lab's own ``settings.py``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from cardlab.operations import project
from cardlab.operations.terminal import Refusal

BEGIN = "# --- Card Lab{}: written by cardlab add, deleted by cardlab remove ---"
END = "# --- end of Card Lab{} ---"
LIBRARY = Path(__file__).resolve().parents[1]
RATE = "real_world_currency_per_point"


def between_marks(of: str, lines: str) -> str:
    """Returns lines between the comments by which they are found again; ``of`` is an app, or empty."""
    named = f", {of}" if of else ""
    return f"{BEGIN.format(named)}\n{lines}{END.format(named)}\n"


PROJECT_LINES = between_marks(
    "",
    """\
from cardlab.server.app import install

install()  # oTree imports this file in every command
""",
)


def shared_lines(settings: str) -> str:
    """Returns the lines that all apps of Card Lab need at the end of these settings."""
    has_fields = "PARTICIPANT_FIELDS" in dict(assignments(ast.parse(settings)))
    fields = '*PARTICIPANT_FIELDS, "finished", "treatment"' if has_fields else '"finished", "treatment"'
    return between_marks(
        "",
        "from cardlab.games.session_config import DEFAULTS\n\n"
        "SESSION_CONFIG_DEFAULTS = {**DEFAULTS, **SESSION_CONFIG_DEFAULTS}  # your values count\n"
        f"PARTICIPANT_FIELDS = list(dict.fromkeys([{fields}]))\n",
    )


def maker_of(app: str) -> str:
    """Returns the name of the function that makes the configs of an app: ``ttt_solo`` of ``ttt_solo_app``."""
    return app.removesuffix("_app")


def app_lines(app: str) -> str:
    """Returns the lines that add the first of Card Lab's configs of an app to SESSION_CONFIGS."""
    text = (project.own_files() / "settings.py").read_text("utf-8")
    tree, maker = ast.parse(text), maker_of(app)
    [module] = [
        node.module or ""
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and maker in {alias.name for alias in node.names}
    ]
    arguments = _first_config(tree, text, maker) or ['"alone"', '"on its own"', '"To try it."']
    source = LIBRARY.joinpath(*module.split(".")[1:]).with_suffix(".py")
    if RATE not in source.read_text("utf-8"):  # the game has no value of a point of its own
        arguments.append(f"{RATE}={_default_rate(text)}")
    config = "".join(f"        {argument},\n" for argument in arguments)
    return between_marks(
        app,
        f"from {module} import {maker}\n\n"
        f"SESSION_CONFIGS = [\n    *SESSION_CONFIGS,\n    {maker}(\n{config}    ),\n]\n",
    )


def _first_config(tree: ast.Module, text: str, maker: str) -> list[str]:
    """Returns the source of each argument of the first config in the list SESSION_CONFIGS; else none."""
    [configs] = [value for name, value in assignments(tree) if name == "SESSION_CONFIGS"]
    for call in configs.elts if isinstance(configs, ast.List) else []:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == maker:
            plain = [ast.get_source_segment(text, each) or "" for each in call.args]
            named = [f"{each.arg}={ast.get_source_segment(text, each.value)}" for each in call.keywords]
            return plain + named
    return []


def _default_rate(text: str) -> str:
    """Returns the value of a point that Card Lab's own settings have as a default."""
    found = re.search(rf'"{RATE}": ([\d.]+)', text)
    return found[1] if found else "1.0"


def assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yields the names that a module assigns at its top level, with the values."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = getattr(node, "value", None)
        yield from ((each.id, value) for each in targets if isinstance(each, ast.Name) and value)


def parse_settings(text: str) -> ast.Module:
    """Returns the syntax tree of ``settings.py``. Raises Refusal for a syntax error."""
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise Refusal(f"settings.py, line {error.lineno}: {error.msg}. Correct it first.") from None


def check_settings(text: str) -> None:
    """Raises Refusal if Card Lab cannot be added to these settings."""
    found = dict(assignments(parse_settings(text)))
    for name in ("SESSION_CONFIGS", "SESSION_CONFIG_DEFAULTS"):
        if name not in found:
            raise Refusal(f"settings.py has no {name}, which every oTree project has. Add it first.")
    points = found.get("USE_POINTS")
    if "CURRENCY_UNIT" in found or (isinstance(points, ast.Constant) and not points.value):
        raise Refusal(
            "Card Lab's games pay in points, but settings.py has "
            f"{'CURRENCY_UNIT' if 'CURRENCY_UNIT' in found else 'USE_POINTS = False'}. Use a project with "
            "USE_POINTS = True."
        )


def cut_between_marks(text: str, lines: str) -> str:
    """Returns a text without the lines between the marks of these lines, where they were changed."""
    begin, end = lines.strip().splitlines()[0], lines.strip().splitlines()[-1]
    pattern = rf"\r?\n?{re.escape(begin)}.*?{re.escape(end)}(\r?\n|\Z)"
    return re.sub(pattern, "", text, count=1, flags=re.DOTALL)


def used_after(text: str, names: set[str]) -> str | None:
    """Returns where settings still use one of the names, such as ``line 12``; None if nowhere."""
    for node in ast.walk(parse_settings(text)):
        name = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else ""
        if name in names:
            return f"line {getattr(node, 'lineno', 1)}"
    return None
