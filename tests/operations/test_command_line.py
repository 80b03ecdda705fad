"""Tests lab.py before anything is installed: its imports and unknown options."""

import ast
import re
import sys

import pytest

from cardlab.operations import project
from cardlab.operations.command_line import command_line, main
from cardlab.operations.terminal import Refusal


def test_operations_need_only_the_standard_library():
    tests = [project.FOLDER / "tests" / name for name in ("stages.py", "system_packages.py")]
    modules = set()
    ours = (project.FOLDER / "cardlab" / "operations").rglob("*.py")
    for path in [project.FOLDER / "lab.py", *ours, *tests]:
        nodes = list(ast.walk(ast.parse(path.read_text("utf-8"))))
        modules |= {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
        modules |= {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    modules = {name.split(".")[0] for name in modules}
    assert {"argparse", "venv", "cardlab"} <= modules
    assert modules <= sys.stdlib_module_names | {"cardlab", "stages", "system_packages", "tomllib"}


def test_commands_in_the_docstring_exist(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab.py", "--help"])
    with pytest.raises(SystemExit):
        main()
    commands = set(re.findall("^    ([a-z-]+)", capsys.readouterr().out, re.MULTILINE))
    docstring = ast.get_docstring(ast.parse((project.FOLDER / "lab.py").read_text("utf-8")))
    assert {"run", "slots"} <= {*re.findall(r"lab\.py ([a-z-]+)", docstring)} <= commands


def test_no_command_prints_the_help(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab.py"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert not stop.value.code
    assert "start the server" in capsys.readouterr().out


def test_unknown_options_are_refused(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["lab.py", "run", "--prot", "8001"])
    with pytest.raises(SystemExit) as stop:
        main()
    assert stop.value.code == 2
    assert "--prot" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("given", "passed"),
    [
        (["analysis", "hands", "actions.csv"], ["hands", "actions.csv"]),
        (["preregister", "study.toml", "-o", "plan.md"], ["preregister", "study.toml", "-o", "plan.md"]),
    ],
)
def test_commands_of_the_analysis_are_passed_on(monkeypatch, given, passed):
    monkeypatch.setattr("sys.argv", ["cardlab", *given])
    monkeypatch.setattr("cardlab.operations.command_line.analyse", lambda arguments: arguments)
    assert main() == passed


COMMANDS = (
    *(["export", "x8f2k1qz"], ["archive", "x8f2k1qz"], ["slots", "x8f2k1qz", "2"], ["withdraw", "q7bdn3xy"]),
    *(["labels", "--to", "labels.csv"], ["labels", "--forget", ""]),
)


@pytest.mark.parametrize("url", ["http://127.0.0.1:80a0", "http://[::1", "127.0.0.1:8000"])
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_wrong_address_of_the_server_is_refused(project, command, url):
    options = command_line().parse_args([*command, "--url", url])
    with pytest.raises(Refusal, match=re.escape(f" at {url}")):
        options.do(options)


def test_labels_need_a_file_name(project):
    options = command_line().parse_args(["labels", "--to", str(project)])
    with pytest.raises(Refusal, match="is a folder"):
        options.do(options)
