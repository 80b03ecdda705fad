"""Defines arguments, argument types and messages that several commands use."""

from __future__ import annotations

import argparse
import glob
import math
import os
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from cardlab.analysis import sources
from cardlab.analysis.browser_events import Person, Reported
from cardlab.analysis.codebook.table_names import table_name
from cardlab.analysis.games import modules
from cardlab.analysis.output import SUFFIXES
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name
from cardlab.games.text_file import quote

if TYPE_CHECKING:
    from cardlab.analysis.exclusions import Rule
    from cardlab.analysis.report.data import ReportData

SOURCE_KINDS = [
    "a table of actions (custom_export)",
    *(kind.NOUN for kind in modules("logs")),
    "a folder of tables",
]
SOURCE_HELP = ", or ".join(SOURCE_KINDS)


# Arguments.


def add_sources_argument(parser: argparse.ArgumentParser) -> None:
    """Adds the argument for one or more files to read."""
    parser.add_argument("sources", metavar="SOURCE", nargs="+", help=SOURCE_HELP)


def add_output_argument(parser: argparse.ArgumentParser, example: str) -> None:
    """Adds ``-o`` for the file to write. ``example`` is a name for the help."""
    parser.add_argument(
        "-o",
        dest="out",
        metavar="FILE",
        type=NAME,
        required=True,
        help=f"the file to write, such as {example}",
    )


def add_folder_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--out`` for the folder to write."""
    parser.add_argument("--out", metavar="DIR", type=NAME, required=True, help="the folder to write")


def add_settings_argument(parser: argparse.ArgumentParser, text: str) -> None:
    """Adds ``--set NAME=VALUE``. ``text`` is the help."""
    parser.add_argument(
        "--set", dest="settings", metavar="NAME=VALUE", action="append", default=[], help=text
    )


def add_figures_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--figures`` for the file formats of plots."""
    parser.add_argument(
        "--figures",
        metavar="KINDS",
        type=FIGURES,
        default=["svg"],
        help="the formats of plots, separated by commas: svg (default), pdf, png",
    )


def add_strict_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--strict``, which makes a damaged hand an error."""
    parser.add_argument(
        "--strict", action="store_true", help="stop at the first damaged hand instead of leaving it out"
    )


def add_condition_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds ``--by`` for the conditions, ``--person``, and ``--threshold`` for the thresholds of measures."""
    parser.add_argument(
        "--by", metavar="NAME", default="", help="the column or setting that defines the conditions"
    )
    parser.add_argument(
        "--person",
        metavar="COLUMN",
        default="",
        help="the column that names a person in all sessions, such as participant_label; it is hashed",
    )
    parser.add_argument(
        "--threshold",
        metavar="NAME=VALUE",
        type=THRESHOLD,
        action="append",
        default=[],
        help=_describe_thresholds(),
    )


def add_preregistration_argument(parser: argparse.ArgumentParser) -> None:
    """Adds ``--preregistration``, for a document that :func:`read_preregistration` reads."""
    parser.add_argument(
        "--preregistration",
        metavar="FILE",
        default="",
        help="a document written by preregister: reruns its analysis, and names what was not done as planned",
    )


def _describe_thresholds() -> str:
    """Returns the thresholds of all games with their defaults."""
    texts = [
        f"{name}={getattr(game.performance.thresholds(), name)} ({meaning})"
        for game in games_by_name().values()
        for name, meaning in game.performance.threshold_meanings.items()
    ]
    return ("; ".join(texts)).replace("%", "%%")


# Argument types.


def argument_type(
    parse: Callable[[str], Any], is_valid: Callable[[Any], bool], description: str
) -> Callable[[str], Any]:
    """Returns an argument type for argparse.

    Parameters:
        parse: parses the text, and raises ValueError for a wrong one.
        is_valid: returns whether the value is allowed.
        description: completes the error message "must be …".
    """

    def read_argument(text: str) -> Any:
        try:
            if is_valid(value := parse(text)):
                return value
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"must be {description}, not {quote(text)}")

    return read_argument


def number_list(allowed: range) -> Callable[[str], Any]:
    """Returns an argument type for whole numbers, separated by commas, which are sorted."""
    return argument_type(
        lambda text: sorted({int(number) for number in text.split(",")}),
        lambda numbers: all(number in allowed for number in numbers),
        f"whole numbers from {allowed[0]} to {allowed[-1]}, separated by commas",
    )


def model_indices(names: Sequence[str], chosen: Sequence[str] | None) -> list[int]:
    """Returns the indices of the models that ``--model`` names, or of all. Raises BadFile."""
    for name in chosen or ():
        if name not in names:
            raise BadFile("--model", f"There is no model {name}. The models are {', '.join(names)}.")
    return [number for number, name in enumerate(names) if name in (chosen or names)]


def _name_and_number(text: str) -> tuple[str, float]:
    name, _equals, value = text.partition("=")
    return name.strip(), float(value)


THRESHOLD = argument_type(
    _name_and_number, lambda pair: bool(pair[0]) and math.isfinite(pair[1]), "a threshold's NAME=NUMBER"
)
NAME = argument_type(str, lambda text: bool(text.strip()), "a name")


def _list_of(*allowed: str) -> Callable[[str], Any]:
    """Returns an argument type for a list of file formats, separated by commas."""
    return argument_type(
        lambda text: [kind.strip() for kind in text.split(",")],
        lambda kinds: set(kinds) <= set(allowed),
        f"{' or '.join(allowed)}, or several separated by commas",
    )


NUMBER = argument_type(int, range(1, 1_000_000).__contains__, "a whole number from 1 to 999999")
BUDGET = argument_type(int, range(1, 10**9).__contains__, "a whole number from 1 to 999999999")


FIGURES = _list_of("svg", "pdf", "png")
TABLES = _list_of("csv", *(suffix[1:] for suffix in SUFFIXES))


def add_budget_argument(parser: argparse.ArgumentParser, name: str, default: int, meaning: str) -> None:
    """Adds an argument for the budget of a search. ``meaning`` is the help, to which the default is added."""
    parser.add_argument(
        name, metavar="N", type=BUDGET, default=default, help=f"{meaning}; default: {default}"
    )


# Sources and messages.


def damage_policy(arguments: argparse.Namespace) -> sources.DamagePolicy:
    """Returns the policy for damaged hands that ``--strict`` selects."""
    return sources.DamagePolicy(warn, arguments.strict)


def load_data(
    arguments: argparse.Namespace,
    paths: Sequence[Path],
    searches: bool = True,
    reported: Mapping[Person, Reported] = MappingProxyType({}),
    rules: Sequence[Rule] = (),
) -> ReportData:
    """Reads the sources with the conditions and thresholds of the arguments, and prints the warnings.

    ``searches`` says whether measures may search for good play. ``reported`` has what the browsers of
    participants reported, ``rules`` exclude participants and hands. Raises BadFile.
    """
    from cardlab.analysis.report.data import gather_data  # its libraries take a second to load

    damage = damage_policy(arguments)
    hands = sources.warn_at_end(sources.read_hands(paths, warn, damage=damage), warn)
    limits = dict(arguments.threshold)
    data = gather_data(
        hands,
        limits,
        arguments.by,
        searches,
        damage.count_by_session,
        reported,
        arguments.person,
        getattr(arguments, "same_deals", False),
        rules,
    )
    for sentence in data.caveats:
        warn(sentence)
    return data


def expand_paths(names: Sequence[str]) -> list[Path]:
    """Returns the named files. Raises BadFile if a pattern or a folder matches none.

    Expands patterns, because the Windows shell does not. A folder stands for all tables of actions in it and
    its subfolders, as ``lab.py export --all`` writes them.
    """
    files = []
    for name in names:
        found = sorted(glob.glob(name)) if glob.has_magic(name) and not os.path.exists(name) else [name]
        if not found:
            raise BadFile(name, "No file matches this name.")
        files += found
    return [file for path in map(Path, files) for file in (_find_tables(path) if path.is_dir() else [path])]


def _find_tables(folder: Path) -> list[Path]:
    tables = [path for path in sorted(folder.rglob("*.csv")) if table_name(path.name).endswith("_actions")]
    if not tables:
        raise BadFile(str(folder), "This folder has no table of actions (…_actions.csv).")
    return tables


@contextmanager
def opened_archive(archive: Path) -> Iterator[Path]:
    """Provides the folder of an archive, which may be a ZIP file; any other path as it is. Raises BadFile."""
    if archive.suffix.lower() != ".zip":
        yield archive
        return
    with tempfile.TemporaryDirectory(prefix="card-lab-") as folder:
        try:
            with zipfile.ZipFile(archive) as file:
                file.extractall(folder)
        except (zipfile.BadZipFile, OSError) as error:
            raise BadFile(str(archive), f"This ZIP file cannot be read ({error}).") from None
        yield Path(folder)


def read_text(path: Path) -> str:
    """Returns the text of a file. Raises BadFile if it is not in UTF-8."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise BadFile(str(path), "This line is not text in UTF-8. Save the file as UTF-8.", line) from None


def format_count(number: int, noun: str) -> str:
    """Returns the number with its noun: 1 hand, 2 hands."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def warn(sentence: str) -> None:
    """Prints a warning as one line on stderr."""
    print(f"warning: {to_one_line(sentence)}", file=sys.stderr)


def to_one_line(sentence: str) -> str:
    """Returns the sentence without line breaks, which a file name or a damaged log may contain."""
    return " ".join(sentence.splitlines())
