"""Tests that writing the tables of a large session takes no more memory than those of a small one."""

from __future__ import annotations

import json
from pathlib import Path

import otree_process

PROGRAM = Path(__file__).with_name("memory_of_tables.py")
SMALL, LARGE = 6, 18  # participants
GROWTH, SLACK_KB = 1.3, 30  # growth that is allowed, because the list of participants is in memory


def test_memory_does_not_grow_with_the_session(tmp_path):
    done = otree_process.run(tmp_path, [str(PROGRAM), str(SMALL), str(LARGE)])
    assert done.returncode == 0, done.stderr[-3000:]
    small, large = json.loads(done.stdout.splitlines()[-1])
    assert {"custom_export", "custom_export_participants", "app", "wide"} <= {*small}
    grown = {
        name: (small[name], peak) for name, peak in large.items() if peak > GROWTH * small[name] + SLACK_KB
    }
    assert grown == {}
