"""Runs programs that import or drive oTree in a separate process, without a server."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]


def run(folder: Path, program: list[str]) -> subprocess.CompletedProcess:
    """Runs Python with the arguments ``program`` in an empty ``folder``, with an in-memory database."""
    in_memory = {"PYTHONPATH": str(PROJECT), "OTREE_IN_MEMORY": "1", "OTREE_PRODUCTION": "1"}
    apps = [path.name for path in PROJECT.glob("*_app")]
    for room in ("_templates", "_static", "_rooms", *apps):  # oTree looks for them in the current folder
        (folder / room).symlink_to(PROJECT / room)
    return subprocess.run(
        [sys.executable, *program],
        cwd=folder,
        env={**os.environ, **in_memory},
        capture_output=True,
        text=True,
    )
