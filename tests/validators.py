"""Runs the validators of three archive standards: Frictionless, BIDS and Psych-DS.

The first two are installed into ``.venv-validators``. No package registry has the Psych-DS validator.
``CARD_LAB_PSYCH_DS`` names a command that takes a folder and prints the validator's result as JSON.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from cardlab.operations.environment import install, venv_program
from cardlab.operations.terminal import Refusal

FOLDER = ".venv-validators"


@cache
def _installed() -> str:
    """Returns why the validators cannot be installed; empty if they can."""
    try:
        install("validators")
    except Refusal as refusal:
        return str(refusal)
    return ""


def _run(program: str, *arguments: str) -> Any:
    if reason := _installed():
        pytest.skip(f"the validators cannot be installed: {reason}")
    path = venv_program(program, FOLDER)
    environment = {**os.environ, "PATH": f"{path.parent}{os.pathsep}{os.environ['PATH']}"}
    result = subprocess.run([path, *arguments], capture_output=True, encoding="utf-8", env=environment)
    assert result.stdout, result.stderr
    return json.loads(result.stdout)


def frictionless_errors(folder: Path) -> list[Any]:
    """Returns the errors of a Data Package."""
    report = _run("frictionless", "validate", str(folder / "datapackage.json"), "--json")
    return [error for task in report["tasks"] for error in task["errors"]] + report["errors"]


def bids_errors(folder: Path) -> list[Any]:
    """Returns the errors of a BIDS dataset, without warnings."""
    report = _run("bids-validator-deno", str(folder), "--format", "json")
    return [issue for issue in report["issues"]["issues"] if issue["severity"] == "error"]


def psych_ds_issues(folder: Path) -> list[Any]:
    """Returns the errors and warnings of a Psych-DS dataset."""
    command = os.environ.get("CARD_LAB_PSYCH_DS")
    if not command:
        pytest.skip("CARD_LAB_PSYCH_DS names no validator")
    result = subprocess.run([command, folder], capture_output=True, encoding="utf-8", check=True)
    return list(json.loads(result.stdout)["issues"])
