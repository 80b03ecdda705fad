"""Checks the code on the pages of the documentation: commands exist and blocks are well formed.

Other tests run whole pages whose examples belong together, such as tests/system/test_rest_examples.py and
tests/analysis/test_analysis_guides.py. An incomplete example has ``<!-- not run: reason -->`` on the line
before it.
"""

from __future__ import annotations

import argparse
import configparser
import contextlib
import io
import json
import re
import shlex
import sys

import pytest

from cardlab.analysis import commands as analysis
from cardlab.operations import command_line
from tests.pages_of_docs import ROOT, blocks, paths

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

PAGES = [ROOT / "README.md", *paths()]
SHELLS = ("bash", "console", "sh", "shell")
LANGUAGES = {
    *SHELLS,
    *("python", "r", "toml", "ini", "json", "text", "html", "csv", "yaml", "nginx", "javascript"),
}
PLACEHOLDERS = {"N": "1", "MINUTES": "1"}
LAB = re.compile(r"^(?:(?:python3?|py|\.venv/bin/python) )?lab\.py\b|^cardlab\b(?! analysis)")
ANALYSIS = re.compile(r"^(?:\S*python3?|py) -m cardlab\.analysis\b|^cardlab analysis\b")


def identifier(path) -> str:
    return path.relative_to(ROOT).as_posix()


def commands_in(code: str) -> list[str]:
    """Returns the commands of a shell block, continued lines joined, without prompts, comments, variables."""
    found = []
    for line in code.replace("\\\n", " ").splitlines():
        line = re.sub(r"^\s*(?:\$ )?(?:[A-Z_]+=\S* +)*", "", line)
        if line and not line.startswith("#"):
            found.append(line)
    return found


def parser_for(line: str) -> tuple[argparse.ArgumentParser, list[str]] | None:
    """Returns the parser that reads a command, and its arguments; None for a command of another program."""
    if not (LAB.match(line) or ANALYSIS.match(line)):
        return None
    words = shlex.split(line, comments=True)
    for stop in ("|", ">", "&&", ";", "&"):
        words = words[: words.index(stop)] if stop in words else words
    if LAB.match(line):
        return command_line.command_line(), words[1 if words[0] in ("lab.py", "cardlab") else 2 :]
    if ANALYSIS.match(line):
        given = words[next(i for i, word in enumerate(words) if "analysis" in word) + 1 :]
        return analysis._parser(given), given
    return None


def refusal(line: str) -> str:
    """Returns the program's error message for a command; empty if it accepts it."""
    found = parser_for(line)
    if not found:
        return ""
    parser, words = found
    words = [PLACEHOLDERS.get(word, word) for word in words if word not in ("…", "...")]
    errors = io.StringIO()
    with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
        try:
            _options, others = parser.parse_known_args(words)
        except SystemExit as stop:
            return errors.getvalue().strip().rpartition("\n")[2] if stop.code else ""
    return f"unknown: {others}" if others and "test" not in words[:1] else ""


def subcommands(parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    return next(a.choices for a in parser._actions if isinstance(a, argparse._SubParsersAction))


def unknown_parts(line: str) -> list[str]:
    """Returns the parts of a command in a sentence that do not exist. Arguments may be missing."""
    found = parser_for(line)
    if not found or not found[1]:
        return []
    parser, words = found
    named = subcommands(parser)
    if words[0].startswith("-"):
        return []
    if words[0] not in named:
        return [words[0]] if not words[0].isupper() and words[0] not in ("…", "...") else []
    if words[0] == "test":
        return []
    known = {option for action in named[words[0]]._actions for option in action.option_strings}
    return [word for word in words[1:] if word.startswith("--") and word.split("=")[0] not in known]


@pytest.mark.parametrize("path", PAGES, ids=identifier)
def test_blocks_name_their_language(path):
    for block in blocks(path.read_text("utf-8")):
        assert block.language in LANGUAGES, f"{identifier(path)}:{block.line}: a block of '{block.language}'"


@pytest.mark.parametrize("path", PAGES, ids=identifier)
def test_documented_shell_commands_are_valid(path):
    wrong = [
        f"{identifier(path)}:{block.line}: {line}: {error}"
        for block in blocks(path.read_text("utf-8"))
        if block.language in SHELLS and not block.marker.startswith("<!-- not run: ")
        for line in commands_in(block.code)
        if (error := refusal(line))
    ]
    assert wrong == []


@pytest.mark.parametrize("path", PAGES, ids=identifier)
def test_commands_in_sentences_exist(path):
    text = re.sub(r"^ *```.*?^ *```", "", path.read_text("utf-8"), flags=re.M | re.S)
    wrong = [(line, parts) for line in re.findall(r"`([^`\n]+)`", text) if (parts := unknown_parts(line))]
    assert wrong == []


def read_ini(code: str) -> None:
    configparser.ConfigParser(interpolation=None).read_string(code)


READERS = {
    "python": lambda code: compile(code, "block", "exec"),
    "toml": tomllib.loads,
    "json": json.loads,
    "ini": read_ini,
}


@pytest.mark.parametrize("path", PAGES, ids=identifier)
def test_documented_code_blocks_parse(path):
    for block in blocks(path.read_text("utf-8")):
        if block.language in READERS and not block.marker.startswith("<!-- not run: "):
            try:
                READERS[block.language](block.code)
            except (SyntaxError, ValueError, configparser.Error) as error:
                pytest.fail(f"{identifier(path)}:{block.line}: {error}")


def test_wrong_commands_are_found():
    assert refusal("python3 lab.py run --port 8001 --fresh") == ""
    assert "unrecognized" in refusal("python3 lab.py run --prot 1") or "unknown" in refusal(
        "python3 lab.py run --prot 1"
    )
    assert "invalid choice" in refusal("python3 lab.py serve")
    assert "required" in refusal("cardlab add")
    assert refusal("python -m cardlab.analysis hands actions.csv -o hands.csv") == ""
    assert "required" in refusal("python -m cardlab.analysis hands actions.csv")
    assert unknown_parts("lab.py slots") == []
    assert unknown_parts("python3 lab.py run --prot") == ["--prot"]
    assert unknown_parts("lab.py serve") == ["serve"]
