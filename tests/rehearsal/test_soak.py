"""Tests the bars of benchmarks/soak.py, and its measurements of processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cardlab.operations import project
from cardlab.rehearsal.processes import process_usages

sys.path.append(str(Path(project.FOLDER) / "benchmarks"))
import soak

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


def run(*late, server="lasting", **changes):
    """Returns samples of two hours, one every ten seconds, and one after play.

    Each of ``late`` is (begin, end, quantities): these replace those of the samples in between.
    """
    start = soak.Sample(0.0, server, 0, 42, 0, 100.0, 200.0, 80.0, 11, 29, 95, 5, 1.0, 2.0)
    samples = [start._replace(second=10.0 * number) for number in range(721)]
    for begin, end, quantities in late:
        samples = [
            sample._replace(**quantities) if begin <= sample.second <= end else sample for sample in samples
        ]
    return [*samples, start._replace(second=7300.0, playing=0, sockets=3, **changes)]


def missed(samples):
    return [bar.title.partition(",")[0] for bar in soak.bars_of_growth(samples) if not bar.is_met]


def test_steady_server_keeps_to_bars():
    assert missed(run()) == []


def test_growth_of_first_half_hour_is_allowed():
    assert missed(run((0, 1790, {"server_mb": 60.0, "threads": 5, "files": 20}))) == []


@pytest.mark.parametrize(
    ("quantities", "title"),
    [
        ({"server_mb": 106.0}, "median memory"),
        ({"threads": soak.THREADS_BAR + 1}, "most threads"),
        ({"files": 31}, "least open files"),
    ],
)
def test_growth_at_the_end_is_missed(quantities, title):
    assert missed(run((6600, 7200, quantities))) == [title]


def test_peaks_of_reports_are_no_growth():
    assert missed(run((6700, 6800, {"server_mb": 130.0, "threads": 15, "files": 35}))) == []


def test_killed_server_does_not_count():
    grown = run((6600, 7200, {"server_mb": 500.0}), server="killed")
    samples = sorted(run() + grown, key=lambda sample: (sample.second, sample.server == "lasting"))
    assert missed(samples) == []


def test_sockets_left_after_play_are_missed():
    samples = run()
    assert missed([*samples[:-1], samples[-1]._replace(sockets=42)]) == ["open sockets after play"]


def usage(code):
    """Returns the resource usage of a Python process after it has run some code."""
    command = [sys.executable, "-c", f"{code}\nprint(flush=True)\ninput()"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdout.readline()
        (own,) = process_usages(process.pid)
        process.communicate(b"\n")
    return own


@linux
def test_process_usage_counts_files_sockets_and_threads():
    plain = usage("import socket, threading, time")
    held = usage(
        "import socket, threading, time\nfile, plug = open('/dev/null'), socket.socket()\n"
        "threading.Thread(target=time.sleep, args=[60], daemon=True).start()"
    )
    assert held.program.startswith("import socket")
    assert held.memory > 1_000_000
    assert (held.threads, held.files, held.sockets) == (plain.threads + 1, plain.files + 1, plain.sockets + 1)


@linux
def test_processes_of_descendants_are_found():
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        programs = [each.program for each in process_usages(os.getpid())]
        child.communicate(b"\n")
    assert "input()" in programs
