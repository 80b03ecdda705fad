"""The lines that ``cardlab add`` writes into an oTree project's ``settings.py`` and ``project.py``.

The config of an app is its first one in Card Lab's own ``settings.py``.
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


def between_marks(app: str, lines: str) -> str:
    """Returns lines between comments that mark them for removal; ``app`` is empty for all apps."""
    suffix = f", {app}" if app else ""
    return f"{BEGIN.format(suffix)}\n{lines}{END.format(suffix)}\n"


PROJECT_LINES = between_marks(
    "",
    """\
from cardlab.server.app import install

install()  # oTree imports this file in every command
""",
)


def shared_lines(settings: str) -> str:
    """Returns the lines that all apps of Card Lab need at the end of these settings."""
    has_fields = "PARTICIPANT_FIELDS" in dict(assignments(parse_settings(settings)))
    fields = '*PARTICIPANT_FIELDS, "finished", "treatment"' if has_fields else '"finished", "treatment"'
    return between_marks(
        "",
        "from cardlab.games.session_config import DEFAULTS\n\n"
        "SESSION_CONFIG_DEFAULTS = {**DEFAULTS, **SESSION_CONFIG_DEFAULTS}  # your values count\n"
        f"PARTICIPANT_FIELDS = list(dict.fromkeys([{fields}]))\n",
    )


def config_function(app: str) -> str:
    """Returns the name of the function that makes the configs of an app: ``ttt_solo`` of ``ttt_solo_app``."""
    return app.removesuffix("_app")


def app_lines(app: str) -> str:
    """Returns the lines that add the first of Card Lab's configs of an app to SESSION_CONFIGS."""
    text = (project.own_files() / "settings.py").read_text("utf-8")
    tree, function_name = ast.parse(text), config_function(app)
    [module] = [
        node.module or ""
        for node in tree.body
        if isinstance(node, ast.ImportFrom) and function_name in {alias.name for alias in node.names}
    ]
    arguments = _first_config(tree, text, function_name) or ['"alone"', '"on its own"', '"To try it."']
    source = LIBRARY.joinpath(*module.split(".")[1:]).with_suffix(".py")
    if RATE not in source.read_text("utf-8"):  # the game does not set the value of a point
        arguments.append(f"{RATE}={_default_rate(text)}")
    config = "".join(f"        {argument},\n" for argument in arguments)
    return between_marks(
        app,
        f"from {module} import {function_name}\n\n"
        f"SESSION_CONFIGS = [\n    *SESSION_CONFIGS,\n    {function_name}(\n{config}    ),\n]\n",
    )


def _first_config(tree: ast.Module, text: str, function_name: str) -> list[str]:
    """Returns the source of each argument of the first config in the list SESSION_CONFIGS; else none."""
    [configs] = [value for name, value in assignments(tree) if name == "SESSION_CONFIGS"]
    for call in configs.elts if isinstance(configs, ast.List) else []:
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == function_name:
            arguments = [ast.get_source_segment(text, value) or "" for value in call.args]
            keywords = [f"{item.arg}={ast.get_source_segment(text, item.value)}" for item in call.keywords]
            return arguments + keywords
    return []


def _default_rate(text: str) -> str:
    """Returns the default value of a point in Card Lab's own settings."""
    match = re.search(rf'"{RATE}": ([\d.]+)', text)
    return match[1] if match else "1.0"


def assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    """Yields the names that a module assigns at its top level, with the values."""
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
        value = getattr(node, "value", None)
        yield from ((target.id, value) for target in targets if isinstance(target, ast.Name) and value)


def parse_settings(text: str) -> ast.Module:
    """Returns the syntax tree of ``settings.py``. Raises Refusal for a syntax error."""
    try:
        return ast.parse(text.removeprefix("\ufeff"))  # a byte order mark
    except SyntaxError as error:
        raise Refusal(f"settings.py, line {error.lineno}: {error.msg}. Correct it first.") from None


def check_settings(text: str) -> None:
    """Raises Refusal if Card Lab cannot be added to these settings."""
    settings = dict(assignments(parse_settings(text)))
    for name in ("SESSION_CONFIGS", "SESSION_CONFIG_DEFAULTS"):
        if name not in settings:
            raise Refusal(f"settings.py has no {name}, which every oTree project has. Add it first.")
    points = settings.get("USE_POINTS")
    if "CURRENCY_UNIT" in settings or (isinstance(points, ast.Constant) and not points.value):
        raise Refusal(
            "Card Lab's games pay in points, but settings.py has "
            f"{'CURRENCY_UNIT' if 'CURRENCY_UNIT' in settings else 'USE_POINTS = False'}. Use a project with "
            "USE_POINTS = True."
        )


def cut_between_marks(text: str, lines: str) -> str:
    """Returns a text without the marks of these lines and the lines between them, even if changed."""
    begin, end = lines.strip().splitlines()[0], lines.strip().splitlines()[-1]
    pattern = rf"\r?\n?{re.escape(begin)}.*?{re.escape(end)}(\r?\n|\Z)"
    return re.sub(pattern, "", text, count=1, flags=re.DOTALL)


def line_using(text: str, names: set[str]) -> str | None:
    """Returns where settings still use one of the names, such as ``line 12``; None if nowhere."""
    for node in ast.walk(parse_settings(text)):
        name = node.id if isinstance(node, ast.Name) else node.value if isinstance(node, ast.Constant) else ""
        if name in names:
            return f"line {getattr(node, 'lineno', 1)}"
    return None
