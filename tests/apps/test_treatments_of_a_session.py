"""Tests treatments from the file to hands, groups and exports."""

from pathlib import Path

import otree_process

PROGRAM = Path(__file__).with_name("session_of_treatments.py")


def test_treatments_hold_from_file_to_export(tmp_path):
    (tmp_path / "run").mkdir()
    (tmp_path / "treatments").mkdir()
    done = otree_process.run(tmp_path / "run", [str(PROGRAM), str(tmp_path / "treatments")])
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
