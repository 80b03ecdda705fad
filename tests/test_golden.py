"""Compares the output of fixed sessions with the golden files, byte for byte.

Every game has two sessions: one played through the server's functions (``golden_session``) and one simulated.
``tests/golden/<game>/<session>/`` holds the session's exports and the analysis's output. After an intended
change,

    python -m tests.test_golden

rewrites them. Read the difference before keeping it.
"""

from __future__ import annotations

import contextlib
import gettext
import io
import json
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

import pytest

from cardlab.analysis.commands import main as analysis
from cardlab.operations.languages import catalogues, compile_language

HERE = Path(__file__).parent
sys.path.append(str(HERE))  # as pytest does

from harnesses import GAMES, own_of_app  # noqa: E402

from cardlab.games.registry import games_by_app  # noqa: E402

FOLDER = HERE / "golden"
GOLDEN = {
    name: found
    for name, game in GAMES.items()
    if (found := own_of_app(games_by_app()[game.app], game.app, "golden"))
}
REPLAYED = re.compile(r'<script id="data" type="application/json">(.*?)</script>', re.S)


def run(*arguments: object) -> None:
    """Runs a command of the analysis, which must succeed."""
    with contextlib.redirect_stdout(io.StringIO()):
        assert analysis([str(argument) for argument in arguments]) == 0, arguments


def analysis_outputs(actions: Path, folder: Path, game: str) -> Iterator[tuple[str, str]]:
    """Yields the names and texts of the files that the analysis makes from an actions table."""
    run("hands", actions, "-o", folder / "hands.csv")
    yield "hands.csv", text(folder / "hands.csv")
    with patch(
        "cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>"
    ):  # golden files include the report's tables, not its plots
        run("report", actions, "--out", folder / "report", "--no-search")
    for table in sorted((folder / "report").rglob("*.csv")):
        yield f"report/{table.name}", text(table)
    first = next(line for line in text(folder / "hands.csv").splitlines()[1:] if line)
    hand_id = re.search(r"\w+_app-[\w-]+", first)[0]
    run("replay", actions, "--hand", hand_id, "-o", folder / "replay.html")
    hands = json.loads(REPLAYED.search(text(folder / "replay.html"))[1])["hands"]
    steps = "\n".join(json.dumps(step, ensure_ascii=False) for hand in hands for step in hand.pop("steps"))
    yield "replay.jsonl", f"{json.dumps(hands, ensure_ascii=False)}\n{steps}\n"
    also = getattr(GOLDEN[game], "also_written", lambda *_arguments: ())
    for file in also(run, actions, folder):
        yield file.relative_to(folder).as_posix(), text(file)


def text(file: Path) -> str:
    return file.read_bytes().decode("utf-8")


def played(game: str, folder: Path) -> Iterator[tuple[str, str]]:
    exports = GOLDEN[game].played().exports()
    for name, export in exports.items():
        yield f"{name}.csv", export
    actions = folder / "actions.csv"
    actions.write_bytes(exports["custom_export"].encode())
    yield from analysis_outputs(actions, folder, game)


def simulated(game: str, folder: Path) -> Iterator[tuple[str, str]]:
    actions = folder / "actions.csv"
    run(
        "simulate",
        GAMES[game].folder,
        "--participants",
        "4",
        "--seed",
        "3",
        *GOLDEN[game].SIMULATED,
        "-o",
        actions,
    )
    yield "actions.csv", text(actions)
    yield from analysis_outputs(actions, folder, game)


SESSIONS: dict[str, Callable[[str, Path], Iterator[tuple[str, str]]]] = {
    "played": played,
    "simulated": simulated,
}


def made(game: str, kind: str, folder: Path) -> Iterator[tuple[str, str]]:
    """Yields the names and texts of all of a session's files, with the path of ``folder`` removed."""
    for name, content in SESSIONS[kind](game, folder):
        yield name, content.replace(f"{folder}{os.sep}", "")


@pytest.mark.parametrize("kind", SESSIONS)
@pytest.mark.parametrize("game", GOLDEN)
def test_outputs_equal_golden_files(game, kind, tmp_path):
    kept = FOLDER / game / kind
    found = dict(made(game, kind, tmp_path))
    assert sorted(found) == sorted(path.relative_to(kept).as_posix() for path in kept.rglob("*.*"))
    for name, content in found.items():
        assert content.splitlines() == text(kept / name).splitlines(), name
        assert content == text(kept / name), name


@pytest.mark.parametrize("language", catalogues())
@pytest.mark.parametrize("game", GOLDEN)
def test_exports_do_not_depend_on_language(game, language, monkeypatch):
    compile_language(language)
    monkeypatch.setenv("LANGUAGE", language)
    monkeypatch.setattr(gettext, "_current_domain", "messages")
    monkeypatch.setitem(gettext._localedirs, "messages", str(HERE.parent / "_locale"))
    assert gettext.gettext("This hand is over.") != "This hand is over."
    for name, export in GOLDEN[game].played().exports().items():
        assert export == text(FOLDER / game / "played" / f"{name}.csv"), name


if __name__ == "__main__":
    for game in GOLDEN:
        for kind in SESSIONS:
            shutil.rmtree(FOLDER / game / kind, ignore_errors=True)
            with tempfile.TemporaryDirectory() as folder:
                for name, content in made(game, kind, Path(folder)):
                    file = FOLDER / game / kind / name
                    file.parent.mkdir(parents=True, exist_ok=True)
                    file.write_bytes(content.encode())
            print(f"{(FOLDER / game / kind).relative_to(HERE)} is written.")
