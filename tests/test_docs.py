"""Checks that the documents agree with the code.

The tables of columns, of the settings file, of robots, of named games and of patches are made from the code.
Where a document has a line ``<!-- table: … -->``,

    python -m tests.test_docs

rewrites the table below it. Run it after a column or a setting has changed.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import settings
from cardlab import __version__
from cardlab.analysis import best, compare, exclusions, model, power
from cardlab.analysis import commands as analysis_commands
from cardlab.analysis.games.challenge import depth_table as depths
from cardlab.analysis.games.challenge.commands import worth
from cardlab.analysis.games.triangle.commands import hindsight
from cardlab.analysis.games.ttt import pairs, replications, routines
from cardlab.analysis.games.ttt.commands import solve
from cardlab.analysis.preregistration import review
from cardlab.analysis.report import quality
from cardlab.analysis.validation import figure as validation_figure
from cardlab.games.columns import measure_columns
from cardlab.games.contract import OUTCOMES
from cardlab.games.events import ARRIVE, BEST_HANDS, EARNINGS, RULES
from cardlab.games.matrix.robots import ROBOTS
from cardlab.games.matrix.two_by_two import order_names
from cardlab.games.registry import games_by_name
from cardlab.games.session_config import APPS
from cardlab.games.setting import HEADINGS, Number, Setting, Settings
from cardlab.games.shared_settings import GROUP, SHARED
from cardlab.games.tables import (
    ACTION_COLUMNS,
    ANSWER_COLUMNS,
    BROWSER_EVENT_COLUMNS,
    CONSENT_COLUMNS,
    DIGEST_COLUMN,
    HAND_COLUMNS,
    HAND_IDENTITY_COLUMNS,
    NOTICE_COLUMNS,
    PART_COLUMNS,
    PARTICIPANT_COLUMNS,
    PARTICIPANT_ID_COLUMNS,
    PAYMENT_COLUMNS,
    RECORD_END_COLUMNS,
    TUTORIAL_COLUMNS,
)
from cardlab.games.ttt import joint, keeper_log
from cardlab.games.ttt import measures as ttt_measures
from cardlab.games.ttt.settings_file import AS_THE_FILE_SAYS, KEYS
from cardlab.operations import command_line
from cardlab.operations.export import export_file, export_functions
from cardlab.server.otree_patches.patches import PATCHES
from cardlab.server.otree_patches.registry import name_of
from tests import without_database  # noqa: F401
from tests.pages_of_docs import all_pages, page, paths

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *paths(), *ROOT.glob("deals/*/*.md")])


def text_of(name: str) -> str:
    return (ROOT / name).read_text(encoding="utf-8")


# ------------------------------------------------------------------ tables made from the code


def column_table(columns: dict[str, str], above: dict[str, str] | None = None) -> list[tuple[str, ...]]:
    """Returns columns with their meanings; columns with the same meaning share a row.

    Leaves out columns that identify a participant or a hand, and those of the table ``above``.
    """
    explained = {**HAND_IDENTITY_COLUMNS, **PARTICIPANT_ID_COLUMNS, **(above or {})}
    own = {
        name: meaning
        for name, meaning in columns.items()
        if not (name in explained and str(explained[name]).startswith(str(meaning)))
    }
    rows: dict[str, list[str]] = {}
    for name, meaning in own.items():
        rows.setdefault(str(meaning), []).append(f"`{name}`")
    return [("Column", "Meaning"), *((", ".join(names), meaning) for meaning, names in rows.items())]


def identity_table(columns: dict[str, str]) -> list[tuple[str, ...]]:
    return [("Column", "Meaning"), *((f"`{name}`", meaning) for name, meaning in columns.items())]


def table_without(columns: dict[str, str], pattern: str) -> list[tuple[str, ...]]:
    """Returns the columns whose names do not match a pattern. The text of the page explains the others."""
    return column_table({name: text for name, text in columns.items() if not re.fullmatch(pattern, name)})


def measure_table(measures: tuple[Any, ...]) -> list[tuple[str, ...]]:
    """Returns measures with their meanings: function names are the columns, docstrings the meanings.

    The page of the analysis says once how many hands a measure needs, so the table leaves that out.
    """
    undescribed = [measure.__name__ for measure in measures if not measure.__doc__]
    assert not undescribed, f"Measures without a docstring, which is their meaning: {undescribed}"
    meanings = {measure.__name__: " ".join(measure.__doc__.split()) for measure in measures}
    return column_table({name: re.sub(r"\. Empty below .*", "", text) for name, text in meanings.items()})


def people_table(measures: dict[Any, str]) -> list[tuple[str, ...]]:
    """Returns a participant's measures with families and meanings; means of columns share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    meanings = [
        (name, meaning) for names, meaning in measure_table(tuple(measures))[1:] for name in names.split(", ")
    ]
    families = {f"`{measure.__name__}`": family for measure, family in measures.items()}
    for name, meaning in meanings:
        family = families[name]
        is_mean = meaning == f"mean of {name.replace('mean_', '', 1)}"
        rows.setdefault((family, "mean of the column" if is_mean else meaning), []).append(name)
    return [
        ("Column", "Family", "Meaning"),
        *((", ".join(names), f"`{family}`", meaning) for (family, meaning), names in rows.items()),
    ]


def keys_table() -> list[tuple[str, ...]]:
    rows = [("Key", "Default", "Allowed", "Meaning")]
    for name, key in KEYS.items():
        default = str(key.default).upper() if isinstance(key.default, bool) else key.default
        rows.append((f"`{name}`", f"`{default}`" if default != "" else "nothing", key.allowed, key.meaning))
    return rows


def shown_value(value: Any) -> str:
    return f"`{value}`" if value != "" else "nothing"


def allowed_values(setting: Setting) -> str:
    """Returns the allowed values in short form: "1–20 hands" is a whole number of hands."""
    values, listed = setting.values, setting.values.listed()
    if values.control == "checkbox":
        return "`True`/`False`"
    if listed:
        return "; ".join(f"{shown_value(value)}: {meaning}" for value, meaning in listed.items())
    allowed = values.words.removeprefix("the name of a ").removeprefix("a number, ")
    if isinstance(values, Number) and values.whole:
        between = " to " if values.minimum < 0 else "–"
        return f"{values.minimum}{between}{values.maximum} {setting.unit}".strip().replace("-", "−")
    return f"{allowed} ({setting.unit})" if setting.unit and setting.unit not in allowed else allowed


def settings_table(declared: Settings, known: Settings) -> list[tuple[str, ...]]:
    """Returns the settings in the form's order with its headings; only the differences for ``known`` ones."""
    rows: list[tuple[str, ...]] = [("Field", "Default", "Values", "What it does")]
    above = ""
    for name, setting in sorted(declared.items(), key=lambda item: HEADINGS.index(item[1].heading)):
        if setting.heading != above:
            above = setting.heading
            rows.append((f"**{above}**", "", "", ""))
        above_setting = known.get(name)
        means = setting.help.removeprefix(above_setting.help).strip() if above_setting else setting.help
        rows.append(
            (
                f"`{name}`",
                shown_value(setting.default),
                "as above" if above_setting else allowed_values(setting),
                means or "As above.",
            )
        )
    return rows


def settings_tables() -> dict[str, list[tuple[str, ...]]]:
    """Returns tables of the settings of all games, of multiplayer games, and of each app.

    Keys of the settings file are included; fields that two apps of a game share appear once.
    """
    made = {"settings_shared": settings_table(SHARED, {}), "settings_group": settings_table(GROUP, {})}
    first = {app: APPS[game.app].settings for game in games_by_name().values() for app in game.apps[1:]}
    for app, declared in APPS.items():
        known = {**SHARED, **GROUP, **first.get(app, {})}
        own = {
            name: each
            for name, each in declared.settings.items()
            if each is not known.get(name) and not (name in KEYS and each.default == AS_THE_FILE_SAYS)
        }
        made[f"settings_{app}"] = settings_table(own, known)
    return made


def patches_table() -> list[tuple[str, ...]]:
    """Returns what is replaced in oTree; attributes that are replaced for the same reason share a row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for patch in PATCHES:
        rows.setdefault((patch.kind, patch.reason), []).append(f"`{name_of(patch)}`")
    return [
        ("Replaced", "Kind", "Reason"),
        *((", ".join(dict.fromkeys(names)), kind, reason) for (kind, reason), names in rows.items()),
    ]


OPTIONS_IN_TEXT = {"-h", "-o", "--jobs"}  # the page on commands explains them in a sentence


def subcommands(parser: argparse.ArgumentParser) -> list[tuple[str, str, list[argparse.Action]]]:
    """Returns the name, purpose and arguments of each command."""
    (action,) = (one for one in parser._actions if isinstance(one, argparse._SubParsersAction))
    helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
    return [
        (name, helps[name], [one for one in command._actions if not OPTIONS_IN_TEXT & {*one.option_strings}])
        for name, command in action.choices.items()
    ]


def argument_row(action: argparse.Action) -> tuple[str, str]:
    name = action.option_strings[-1] if action.option_strings else ""
    value = action.metavar or (action.choices and "{" + ",".join(action.choices) + "}") or action.dest.upper()
    shown = name if name and action.nargs == 0 else f"{name} {value}".strip()
    return f"`{shown}`", (action.help or "").replace("%%", "%").replace("|", "\\|")


def command_tables(name: str, parser: argparse.ArgumentParser) -> dict[str, list[tuple[str, ...]]]:
    """Returns one table of arguments that several commands share, and one of the commands with their own."""
    commands = subcommands(parser)
    counts = Counter(argument_row(one) for _name, _help, arguments in commands for one in arguments)
    shared = [row for row, count in counts.items() if count > 2]
    rows: list[tuple[str, ...]] = []
    for command, purpose, arguments in commands:
        rows.append((f"**`{command}`**", purpose))
        rows += [row for one in arguments if (row := argument_row(one)) not in shared]
    return {
        f"{name}_shared": [("Argument", "Meaning"), *shared],
        f"{name}_commands": [("Command, argument", "Meaning"), *rows],
    }


PRACTICE = {"practice": HAND_COLUMNS["practice"]}
PARTS = {
    f"{part}_{name}": {**PART_COLUMNS, **columns}
    for name, game in games_by_name().items()
    for part, (columns, _of_hand) in {**game.measures.PARTS, **game.performance.parts}.items()
}


def tables() -> dict[str, list[tuple[str, ...]]]:
    """Returns every table that is made from the code, by its marker's name; the first row is the heading."""
    games = games_by_name().items()
    performances = {name: game.performance for name, game in games if game.performance.hand_measures}
    return {
        "participant_identity": identity_table(PARTICIPANT_ID_COLUMNS),
        "hand_identity": identity_table(HAND_IDENTITY_COLUMNS),
        "hand_end": identity_table({**RECORD_END_COLUMNS, **DIGEST_COLUMN}),
        "actions": column_table(ACTION_COLUMNS),
        "hands": column_table(HAND_COLUMNS),
        **{f"hands_{name}": column_table(game.measures.COLUMNS) for name, game in games},
        **{name: column_table(columns) for name, columns in PARTS.items()},
        **{
            f"best_{name}": column_table(
                {**best.COLUMNS, **best.search_module(name).COLUMNS}, {**PRACTICE, **game.measures.COLUMNS}
            )
            for name, game in best.searchable_games().items()
        },
        "solve": column_table(solve.COLUMNS, ttt_measures.COLUMNS),
        "routines": table_without(routines.COLUMNS, r"\w+_chance|(transition|repeated)_\w+_p|\w+_late"),
        "replicate": column_table(replications.COLUMNS),
        "worth": column_table(worth.COLUMNS, PRACTICE | PARTS["moves_challenge"]),
        "depth": table_without(
            depths.COLUMNS, r"weight_(?!drop_out)\w+|log_likelihood_\w+|check_\w+|\w+_simulated"
        ),
        "model": column_table(model.COLUMNS),
        "model_outcome": column_table(model.OUTCOME),
        **{f"model_{name}": column_table(way.model[0]) for name, way in performances.items() if way.model[0]},
        "hindsight": column_table(hindsight.COLUMNS, PRACTICE | PARTS["placements_triangle"]),
        "pairs": column_table({**pairs.IDENTITY, **measure_columns(joint.MEASURES), **pairs.RECOVERY}),
        "quality": column_table({**quality.COLUMNS, **quality.BROWSER_COLUMNS}),
        "power": column_table(power.COLUMNS),
        "hypotheses": column_table(review.RESULT_COLUMNS, compare.COLUMNS),
        "plan": column_table(review.POINT_COLUMNS),
        "exclusions": column_table(exclusions.COLUMNS),
        "compare": column_table(compare.COLUMNS),
        "validate": column_table(validation_figure.COLUMNS),
        "participants": column_table(PARTICIPANT_COLUMNS),
        "tutorial": column_table(TUTORIAL_COLUMNS),
        "payments": column_table(PAYMENT_COLUMNS),
        "notices": column_table(NOTICE_COLUMNS),
        "browser_events": column_table(BROWSER_EVENT_COLUMNS),
        "consent": column_table(CONSENT_COLUMNS),
        "answers": column_table(ANSWER_COLUMNS),
        **{f"further_{name}": measure_table(way.hand_measures) for name, way in performances.items()},
        **{f"people_{name}": people_table(way.participant_measures) for name, way in performances.items()},
        "settings_file": keys_table(),
        **settings_tables(),
        "otree_patches": patches_table(),
        **command_tables("lab", command_line.command_line()),
        **command_tables("analysis", analysis_commands._parser(())),
        "robots": [("Robot", "How it plays"), *((f"`{name}`", way.source) for name, way in ROBOTS.items())],
        "orders": [("Order", "Game"), *((f"`{order}`", name) for order, name in order_names().items())],
    }


def markdown(rows: list[tuple[str, ...]]) -> str:
    heading, *others = rows
    rows = [heading, ("---",) * len(heading), *others]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in rows)


def filled(document: str) -> str:
    """Returns the text of a document with its marked tables replaced by those made from the code."""
    made = tables()
    return re.sub(
        r"(<!-- table: (\w+) -->\n)((?:\|.*\n)*)", lambda found: found[1] + markdown(made[found[2]]), document
    )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_generated_tables_are_current(path):
    written = path.read_text(encoding="utf-8")
    assert written == filled(written), "run: python -m tests.test_docs"


def test_every_generated_table_is_in_a_document():
    assert {*re.findall(r"<!-- table: (\w+) -->", all_pages())} == {*tables()}


def test_columns_name_all_outcomes_that_are_played_out():
    """Games without ``solved`` and ``completed`` have hands that are played out, too."""
    played_out = {name for name, outcome in OUTCOMES.items() if outcome.is_goal}
    for meaning in (PARTICIPANT_COLUMNS["hands_played_out"], model.OUTCOME["played_out"]):
        assert {name for name in OUTCOMES if name in meaning} == played_out


# ------------------------------------------------------------------ settings


def rows_about(name: str, document: str) -> list[list[str]]:
    """Returns the table rows of a document that begin with ``name``, split into cells."""
    return [
        [cell.strip() for cell in line.strip("| \n").split("|")]
        for line in document.splitlines()
        if line.startswith(f"| `{name}` |")
    ]


@pytest.mark.parametrize("room", settings.ROOMS, ids=lambda room: room["name"])
def test_rooms_are_listed(room):
    assert f"/room/{room['name']}" in all_pages()


# ------------------------------------------------------------------ exports and measures


ACTIONS = {
    "every game": ("reconnect", RULES, EARNINGS, BEST_HANDS, ARRIVE, "absent", "leave advanced"),
    **{name: game.rules.EXAMPLES for name, game in games_by_name().items()},
}


@pytest.mark.parametrize("game", ACTIONS)
def test_every_recorded_action_is_documented(game):
    dictionary = all_pages()
    for action in ACTIONS[game]:
        assert f"`{action}`" in dictionary, action


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_outcomes_are_explained(outcome):
    assert rows_about(outcome, all_pages())


@pytest.mark.parametrize("app", sorted(path.name for path in ROOT.glob("*_app")))
def test_export_files_are_explained(app):
    functions = export_functions(text_of(f"{app}/__init__.py"))
    assert functions
    dictionary = all_pages()
    for function in functions:
        assert f"`{function}`" in dictionary, function
        name = export_file(app, function)
        assert f"`{name}`" in dictionary or f"`{name.replace(app, 'APP')}`" in dictionary, function


def test_log_line_kinds_are_explained():
    """Checks every kind of line that the log of a hand can contain."""
    written = re.findall(r'"([A-Za-z]{2}):', text_of("cardlab/games/ttt/keeper_log/writing.py"))
    assert {"HS", "GC", "PM", "GE"} <= set(written)
    for kind in {*written, "GS"}:
        assert rows_about(kind, all_pages()), kind
    for view in keeper_log.names.VIEWS.values():
        assert f"`{view}`" in all_pages()


def test_rulings_named_in_code_exist():
    rulings = [int(number) for number in re.findall(r"^## (\d+)\. ", page("rulings.md"), re.MULTILINE)]
    assert rulings == list(range(len(rulings)))
    rooms = [ROOT / "cardlab", *ROOT.glob("*_app")]
    code = "".join(path.read_text(encoding="utf-8") for room in rooms for path in room.rglob("*.py"))
    named = {
        int(number)
        for listed in re.findall(r"\b[Rr]ulings? ([\d, –-]*\d)", code)
        for number in re.findall(r"\d+", listed)
    }
    assert named
    assert named <= set(rulings)


# ------------------------------------------------------------------ links, versions, dependencies


def anchors(document: str) -> set[str]:
    """Returns the anchors of a document's headings, as the website generates them."""
    headings = re.findall(r"^#+ (.*)$", document, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_have_targets(path):
    document = path.read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)\s]+)\)", document) + re.findall(r'(?:src|href)="([^"]+)"', document)
    for link in links:
        if link.startswith(("http:", "https:")):
            continue
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        assert not anchor or anchor in anchors(target.read_text(encoding="utf-8")), link


def test_pictures_are_small_used_and_from_script():
    """tools/screenshots.py must take every picture, so that none shows an outdated page."""
    pictures = {path.stem: path.stat().st_size for path in (ROOT / "docs" / "_images").iterdir()}
    script = text_of("tools/screenshots.py")
    assert [name for name in pictures if f'"{name}"' not in script] == []
    pages = "".join(page.read_text("utf-8") for page in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
    assert [name for name in pictures if f"_images/{name}.png" not in pages] == []
    assert sum(pictures.values()) < 2_000_000
    assert max(pictures.values()) < 200_000


def test_help_links_lead_to_pages():
    """Reads the links from the source text, because importing the module sets up oTree."""
    linked = set(re.findall(r'"([\w-]+/[\w-]+)\.html"', text_of("cardlab/admin/help_pages.py")))
    assert len(linked) > 5
    assert [name for name in linked if not (ROOT / "docs" / f"{name}.md").is_file()] == []


def test_python_reference_lists_shared_modules():
    listed = text_of("docs/reference/python-api/games.rst")
    modules = [path.stem for path in (ROOT / "cardlab" / "games").glob("*.py") if path.stem != "__init__"]
    assert [name for name in modules if f"automodule:: cardlab.games.{name}\n" not in listed] == []


def test_python_reference_names_existing_modules():
    pages = sorted((ROOT / "docs/reference/python-api").glob("*.rst"))
    named = {name for page in pages for name in re.findall(r"automodule:: (\S+)", page.read_text("utf-8"))}
    paths = {name: ROOT / name.replace(".", "/") for name in named}
    assert "cardlab.games.contract" in named
    assert [
        name for name, path in paths.items() if not (path.is_dir() or path.with_suffix(".py").exists())
    ] == []


def test_readme_links_every_document():
    linked = set(re.findall(r"\]\(([^)\s#]+)", text_of("README.md")))
    for path in [ROOT / "docs/index.md", ROOT / "CHANGELOG.md", ROOT / "CONTRIBUTING.md", ROOT / "LICENSE"]:
        assert path.relative_to(ROOT).as_posix() in linked


def test_all_files_have_the_same_version():
    assert re.search(r"^version: (\S+)$", text_of("CITATION.cff"), re.MULTILINE)[1] == __version__
    version, day = re.search(r"^## (\S+) \((\S+)\)$", text_of("CHANGELOG.md"), re.MULTILINE).groups()
    assert version == __version__
    assert re.search(r"^date-released: (\S+)$", text_of("CITATION.cff"), re.MULTILINE)[1] == day


def test_requirements_have_reasons():
    stated = text_of("pyproject.toml").partition("[project.optional-dependencies]")[2]
    wanted = re.findall(r'"([\w.-]+)==', stated.partition("\n[tool.hatch")[0])
    assert {"otree", "numba", "pytest"} <= set(wanted)
    for name in wanted:
        assert rows_about(name.lower(), all_pages()), name


if __name__ == "__main__":
    for document in DOCUMENTS:
        document.write_text(filled(document.read_text(encoding="utf-8")), encoding="utf-8", newline="\n")
