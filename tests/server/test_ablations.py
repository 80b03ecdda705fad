"""Tests the switches of benchmarks/load.py that disable single optimizations."""

import subprocess
import sys
from pathlib import Path

from stages import clean_environment

from cardlab.operations import project
from cardlab.operations.environment import venv_program

sys.path.append(str(Path(project.FOLDER) / "benchmarks"))
import ablations

PROGRAM = """
import asyncio, os, sys
import otree.main
sys.path[:0] = [os.getcwd(), {folder!r}]
otree.main.setup()

from cardlab.core import hand_cache
from cardlab.live.batch import Answer
from cardlab.live.lab import LAB

hand_cache.cache_hand("hand", "digest", None)
assert hand_cache.latest_cached_hand("hand") is None

async def queue_two_requests():
    tasks = [asyncio.ensure_future(LAB.group_commit.submit(lambda: Answer({{}}), len)) for _ in range(2)]
    LAB.group_commit._is_running = True  # so that no task commits them
    await asyncio.sleep(0)
    LAB.group_commit.commit_batch()
    assert len(LAB.group_commit.queue) == 1
    LAB.group_commit.commit_batch()
    await asyncio.gather(*tasks)

asyncio.run(queue_two_requests())
"""


def test_server_runs_without_the_ablated_changes(tmp_path):
    ablations.leave_out(tmp_path, ablations.CHANGES)
    for file in ("settings.py", "deals", "treatments", "_templates", "_static", "_locale", "_rooms"):
        (tmp_path / file).symlink_to(Path(project.FOLDER) / file)
    for app in Path(project.FOLDER).glob("*_app"):
        (tmp_path / app.name).symlink_to(app)
    command = [venv_program("python"), "-c", PROGRAM.format(folder=str(project.FOLDER))]
    done = subprocess.run(command, cwd=tmp_path, env=clean_environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
