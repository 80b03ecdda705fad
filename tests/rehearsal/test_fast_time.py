"""Tests the acceleration of a process's clocks."""

import json
import os
import subprocess
import sys

from cardlab.operations.rehearse import fast_clock

CODE = """
import asyncio, json, threading, time
from cardlab.core import clock
began = time.perf_counter(), time.time(), time.monotonic(), clock.now_ms()
time.sleep(10)
asyncio.run(asyncio.sleep(10))
threading.Event().wait(10)
print(json.dumps([
    time.perf_counter() - began[0], time.time() - began[1], time.monotonic() - began[2],
    (clock.now_ms() - began[3]) / 1000,
]))
assert abs(clock.time() - time.time()) < 100  # the parent took one second at most

"""


def test_all_clocks_and_waits_run_fast():
    environment = {**os.environ, **fast_clock(100)}
    command = [sys.executable, "-c", CODE]
    finished = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    real, *fast = json.loads(finished.stdout)
    assert 0.3 <= real < 20  # seconds, also on a busy machine
    for seconds in fast:
        assert seconds >= 30
        assert abs(seconds - 100 * real) < 0.1 * 100 * real
