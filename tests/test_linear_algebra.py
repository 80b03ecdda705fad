"""Tests that linear algebra has one thread, unless the user chooses otherwise."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from cardlab.linear_algebra import ONE_THREAD

# Runs the program, then prints what it left behind.
RUN = """
import os, runpy, sys
assert "numpy" not in sys.modules
sys.argv = ["analysis", "--help"]
try:
    runpy.run_module("cardlab.analysis", run_name="__main__", alter_sys=True)
finally:
    print(*(os.environ.get(name) for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS")))
"""


@pytest.mark.parametrize(("chosen", "threads"), [({}, "1 1"), ({"OMP_NUM_THREADS": "3"}, "3 None")])
def test_analysis_has_one_thread_or_those_chosen(chosen, threads):
    environment = {name: value for name, value in os.environ.items() if name not in ONE_THREAD}
    done = subprocess.run(
        [sys.executable, "-c", RUN], env={**environment, **chosen}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1] == threads
