"""Tests a bundle without a network, in a namespace where only 127.0.0.1 answers."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from cardlab.operations import project

ALONE = ["unshare", "--map-root-user", "--net"]
STORY = """
ip link set lo up
test -z "$(ip route show)" || exit 3
"$PYTHON" lab.py run --port 8000 > out.txt 2>&1 &
while kill -0 $! && ! grep -q "Stop it with" out.txt; do sleep 0.2; done
"$PYTHON" lab.py check --host 127.0.0.1
checked=$?
kill -INT $!
wait $! && exit $checked
"""


def can_be_alone() -> bool:
    """Returns whether this machine allows a process to have a separate network."""
    tools = shutil.which("unshare") and shutil.which("ip")
    return bool(tools) and subprocess.run([*ALONE, "true"], capture_output=True).returncode == 0


@pytest.mark.long("loads all packages from the registry")
def test_bundle_installs_and_runs_without_a_network(tmp_path):
    if not can_be_alone():
        pytest.skip("this machine gives no process a network of its own")
    made = [sys.executable, "lab.py", "bundle", "--out", str(tmp_path / "made")]
    done = subprocess.run(made, cwd=project.FOLDER, capture_output=True, text=True)
    if "Check that this computer is online" in done.stderr:
        pytest.skip("packages cannot be fetched here")
    assert done.returncode == 0, done.stderr
    copied = shutil.move(tmp_path / "made", tmp_path / "copied")
    environment = {"PATH": os.environ["PATH"], "PIP_CONFIG_FILE": os.devnull, "PYTHON": sys.executable}
    story = [*ALONE, "sh", "-c", STORY]
    done = subprocess.run(story, cwd=copied, env=environment, capture_output=True, text=True, timeout=900)
    out = (copied / "out.txt").read_text("utf-8")
    assert done.returncode == 0, out + done.stdout + done.stderr
    assert "Card Lab is running at http://127.0.0.1:8000" in out
    assert "Ready to run a session" in done.stdout
    assert "Traceback" not in out + done.stderr
