"""Tests that tables written block by block equal those written at once."""

from __future__ import annotations

from pathlib import Path

import otree_process

PROGRAM = Path(__file__).with_name("streamed_tables.py")


def test_streamed_tables_are_identical(tmp_path):
    done = otree_process.run(tmp_path, [str(PROGRAM)])
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]
    names = {line.rsplit(" ", 1)[0] for line in done.stdout.splitlines()}
    assert {"ttt_solo_app", "matrix_game_app custom_export_turns", "wide of all"} <= names
    assert {"ttt_pair_app custom_export_ck_log", "ttt_pair_app custom_export_transform"} <= names
