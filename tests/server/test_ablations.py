"""Tests the switches of benchmarks/load.py that disable single optimizations."""

import subprocess
import sys
from pathlib import Path

from stages import clean_environment

from cardlab.operations import project
from cardlab.operations.environment import venv_program

sys.path.append(str(Path(project.FOLDER) / "benchmarks"))
import ablations

SET_UP = """
import os, sys
import otree.main
sys.path[:0] = [os.getcwd(), {folder!r}]
otree.main.setup()
"""


def test_server_sets_up_without_the_ablated_changes(tmp_path):
    ablations.leave_out(tmp_path, ablations.CHANGES)
    for file in ("settings.py", "deals", "treatments", "_templates", "_static", "_locale", "_rooms"):
        (tmp_path / file).symlink_to(Path(project.FOLDER) / file)
    for app in Path(project.FOLDER).glob("*_app"):
        (tmp_path / app.name).symlink_to(app)
    command = [venv_program("python"), "-c", SET_UP.format(folder=str(project.FOLDER))]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
