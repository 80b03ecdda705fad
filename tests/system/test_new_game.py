"""Tests adding a game: the template is copied into a working copy and played.

``tests/template`` is a tiny complete game. The commands of the guide copy it, and append its additions to
``settings.py`` and the data dictionary.
"""

from __future__ import annotations

import csv
import io
import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from server_fixture import LabServer
from stages import clean_environment
from tabs import Visitor

from cardlab.operations.project import copy_project
from tests.pages_of_docs import blocks, page

NAME, APP, CONFIG = "stopping", "stopping_app", "stopping_standard"
TEMPLATE = Path(__file__).parents[1] / "template"
GUIDE = page("add-a-game.md", "adding-a-game.md")
# The best card comes early in the first row, late in the second.
ROWS = "5S KS 2S 8S\nAS 9S 3S QS\n"
FEW_KILLS = {"CARD_LAB_KILLS": "4"}  # one per game


def files() -> list[str]:
    """Returns the template's files, by their paths in the project."""
    paths = (path.relative_to(TEMPLATE) for path in TEMPLATE.rglob("*.*") if path.is_file())
    return sorted(path.as_posix() for path in paths if path.suffix != ".pyc" and path.name != "conftest.py")


@pytest.fixture(scope="module")
def project(tmp_path_factory) -> Path:
    """Provides a working copy of the project with the new game, and runs the guide's generating commands."""
    folder = copy_project(tmp_path_factory.mktemp("project") / "card_lab")
    for command in re.findall(r"^ *((?:cp|cat) .+)$", GUIDE, re.MULTILINE):
        subprocess.run(["bash", "-c", command], cwd=folder, check=True)
    assert all((folder / name).exists() for name in files() if not name.startswith("docs/"))
    (folder / "deals" / NAME).mkdir()
    (folder / "deals" / NAME / "rows.txt").write_text(ROWS, "utf-8")
    (folder / ".venv").symlink_to(Path(sys.prefix))
    for command in re.findall(r"^ *python (-m tests\.\w+)$", GUIDE, re.MULTILINE):
        run(folder, *command.split())
    return folder


def run(folder: Path, *program: object, **environment: str) -> str:
    """Runs Python in the working copy, which must succeed, and returns its output."""
    done = subprocess.run(
        [sys.executable, *map(str, program)],
        cwd=folder,
        env={**clean_environment(), **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert done.returncode == 0, (program, done.stdout[-8000:])
    return done.stdout


ANALYSE = """
import json, sys
from cardlab.analysis.commands import main
sys.exit(any(map(main, json.loads(sys.argv[1]))))
"""


def analyse(folder: Path, *commands: str) -> None:
    """Runs several commands of the analysis in the working copy, in one process."""
    run(folder, "-c", ANALYSE, json.dumps([command.split() for command in commands]))


@pytest.fixture(scope="module")
def played(project) -> Path:
    """Provides the actions table of a session with two hands of the new game, played on a server."""
    with LabServer(project) as server:
        session = server.create_session(CONFIG, 2, deal_file="rows.txt", hands=2, check=False)
        visitor = Visitor(server, session.participants[0])
        tab = visitor.sit_down()
        assert tab.first["view"] == {"card": "5S", "seen": [], "left": 3, "may": ["keep", "next"]}
        tab.act("next")
        assert tab.act("keep")["result"] == {"score": 13, "parts": {"turned": 2}}
        tab = visitor.next_hand()
        for _card in range(3):
            tab.act("next")
        assert tab.refused("next")["refused"] == "This is the last card, so it has to be kept."
        assert tab.act("keep")["over"] == "completed"
        visitor.send()
        assert visitor.name == "Results"
        assert "25" in visitor.page.text
        for function in ("custom_export_hands", "custom_export_participants"):
            assert rows(server.export(session.code, APP, function))
        file = project / "actions.csv"
        file.write_text(server.export(session.code, APP), "utf-8", newline="")
    assert "Traceback" not in server.stderr_text()
    for database in project.glob("db.sqlite3*"):  # oTree's bots would open it
        database.unlink()
    return file


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.mark.long("the games of the product do the same")
def test_played_session_gives_hands_report_and_replay(project, played):
    assert played.name == "actions.csv"
    analyse(project, "hands actions.csv -o hands.csv", "report actions.csv --out report")
    hands = rows((project / "hands.csv").read_text("utf-8"))
    assert [(row["sequence"], row["score"], row["turned"], row["best"]) for row in hands] == [
        ("5S KS", "13", "2", "13"),
        ("AS 9S 3S QS", "12", "4", "12"),
    ]
    assert "Stop in Time" in (project / "report" / "report.html").read_text("utf-8")
    run(
        project,
        "-m",
        "cardlab.analysis",
        "replay",
        played,
        "--hand",
        hands[0]["hand_id"],
        "-o",
        "replay.html",
    )
    assert "lies open" in (project / "replay.html").read_text("utf-8")


@pytest.mark.long("the games of the product do the same")
def test_simulated_session_is_read_like_a_played_one(project):
    analyse(
        project,
        f"simulate {NAME} --strategy threshold -o simulated.csv",
        f"simulate {NAME} --deals rows.txt -o from_file.csv",
        "hands simulated.csv -o simulated_hands.csv",
    )
    hands = rows((project / "simulated_hands.csv").read_text("utf-8"))
    assert len(hands) == 90
    assert {row["outcome"] for row in hands} == {"completed"}


@pytest.mark.long("the games of the product do the same")
def test_bots_finish_the_session(project):
    program = "from otree.main import execute_from_command_line as otree; otree()"
    out = run(project, "-c", program, "test", CONFIG, OTREE_IN_MEMORY="1")
    assert f"Creating '{CONFIG}' session" in out


@pytest.mark.long("runs a large part of the tests once more")
def test_shared_tests_pass_for_the_new_game(project):
    """Runs the shared tests (leaks, fuzzing, kills, damage, replays) and the game's own tests."""
    shared = [f"tests/system/{test}.py" for test in ("test_leaks", "test_fuzz", "test_kill")]
    rules = ["tests/core/test_no_leak.py", f"tests/games/{NAME}", "tests/test_playthroughs.py"]
    pytest_ = ("-m", "pytest", "-p", "no:cacheprovider", "--long")
    chosen = f"{NAME} and not postgresql and not debug"  # one database and one mode are enough
    analysis = [
        f"tests/analysis/{test}.py" for test in ("test_damage", "test_replay", "test_hands_of_all_games")
    ]
    tests = [*shared, *rules, *analysis, "tests/test_architecture.py"]
    out = run(project, *pytest_, "-k", chosen, *tests, **FEW_KILLS)
    assert int(re.search(r"(\d+) passed", out)[1]) >= 36
    untranslated = "not catalogues_are_complete"  # the template has no translations
    run(
        project,
        *pytest_,
        "-k",
        untranslated,
        *(f"tests/test_{what}.py" for what in ("docs", "locale", "types")),
    )


def test_template_follows_the_style(project):
    run(project, "-m", "ruff", "check", "settings.py", APP, f"cardlab/games/{NAME}", f"tests/games/{NAME}")


# ------------------------------------------------------------------ the guide


def test_guide_lists_the_template_files():
    table = re.search(r"\| Section \| Files \|\n(.*?)\n\n", GUIDE, re.DOTALL)[1]
    code = [name.replace(NAME, "<game>") for name in files() if not name.startswith("docs/")]
    assert sorted(re.findall(r"`(.+?)`", table)) == sorted(code)


def test_guide_snippets_match_the_template():
    """The file that ``<!-- from: file -->`` names contains the code block below it."""
    shown = [block for block in blocks(GUIDE) if block.marker.startswith("<!-- from: ")]
    assert len(shown) >= 4
    for block in shown:
        name = block.marker.split()[2]
        assert block.code in (TEMPLATE / name).read_text("utf-8"), name
