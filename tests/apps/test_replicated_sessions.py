"""Tests that the configs of replications create sessions as preregistered, with the real apps."""

from __future__ import annotations

from pathlib import Path

import otree_process
import pytest

from cardlab.analysis.commands import main
from cardlab.analysis.games.ttt.replications.folder import CONFIGS, render_configs
from cardlab.analysis.games.ttt.replications.study import NAMES, read_study

PROGRAM = Path(__file__).with_name("replicated_sessions.py")


@pytest.mark.parametrize("name", NAMES)
def test_configs_create_the_preregistered_sessions(name, tmp_path):
    study, frozen = read_study(name), tmp_path / "plan.md"
    (tmp_path / "run").mkdir()
    (tmp_path / CONFIGS).write_text(render_configs(study), "utf-8")
    assert main(["preregister", str(study.design), "-o", str(frozen)]) == 0
    treatments = study.file.parent / "treatments"
    files = [str(tmp_path / CONFIGS), str(treatments), str(frozen)]
    done = otree_process.run(tmp_path / "run", [str(PROGRAM), *files])
    assert done.returncode == 0, done.stdout + done.stderr[-3000:]
    assert done.stdout.splitlines()[-1].startswith("created ttt")
