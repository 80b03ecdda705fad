"""Checks the ES modules of `_static`: ESLint, the TypeScript compiler, and unit tests that need no browser.

ESLint and TypeScript are the packages of `tests/javascript/package.json`, which `lab.py test` installs.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "tests" / "javascript"
PACKAGES = FOLDER / "node_modules"
OLDEST = (20, 19)  # the first Node.js that recognises ES modules without a package.json


def node_version() -> tuple[int, ...]:
    """Returns the version of Node.js on this machine; empty if there is none."""
    if not (node := shutil.which("node")):
        return ()
    text = subprocess.run([node, "--version"], capture_output=True, text=True).stdout
    return tuple(int(part) for part in text.strip().removeprefix("v").split(".") if part.isdecimal())


pytestmark = pytest.mark.skipif(node_version() < OLDEST, reason="there is no Node.js 20.19 or newer")
needs_packages = pytest.mark.skipif(
    not (PACKAGES / "eslint").is_dir(), reason="tests/javascript/node_modules is missing: `npm ci` makes it"
)


def run_node(*arguments: str | Path) -> None:
    """Runs Node.js in the project's folder, and fails with its output if it does."""
    environment = {**os.environ, "NODE_OPTIONS": "--disable-warning=MODULE_TYPELESS_PACKAGE_JSON"}
    run = subprocess.run(
        ["node", *arguments], cwd=ROOT, env=environment, capture_output=True, encoding="utf-8"
    )
    assert run.returncode == 0, run.stdout + run.stderr


@needs_packages
def test_modules_have_no_lint_errors():
    config = FOLDER / "eslint.config.js"
    run_node(PACKAGES / "eslint" / "bin" / "eslint.js", "--config", config, "_static", "tests/javascript")


@needs_packages
def test_modules_have_no_type_errors():
    run_node(PACKAGES / "typescript" / "bin" / "tsc", "--project", FOLDER)


def test_units_pass_without_a_browser():
    run_node("--test", *sorted(FOLDER.glob("*.test.js")))
