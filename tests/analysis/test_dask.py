"""Compares the output and messages of `hands --engine dask` with those of the default engine.

Dask runs in subprocesses, in its own environment .venv-dask, which `lab.py test --long` creates.
"""

import os
import socket
import subprocess
from pathlib import Path

import pytest

from cardlab.analysis.commands import main
from cardlab.operations.environment import venv_program

ROOT = Path(__file__).parents[2]
PYTHON = venv_program("python", ".venv-dask")
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT)}

CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    options = {"processes": False, "protocol": "tcp", "host": "127.0.0.1", "dashboard_address": None}
    with LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=2, **options) as cluster:
        print(cluster.scheduler_address, flush=True)
        sys.stdin.read()
"""

pytestmark = pytest.mark.skipif(
    not PYTHON.exists(),
    reason="there is no .venv-dask; `lab.py test --long` makes it",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Simulates a table, and another in which two hands cannot be read."""
    folder = tmp_path_factory.mktemp("dask")
    simulated = ["simulate", "ttt", "--hands", "6", "--participants", "4", "--repeat", "2"]
    assert main([*simulated, "-o", str(folder / "ttt.csv")]) == 0
    lines = (folder / "ttt.csv").read_text().splitlines(keepends=True)
    for number in (300, 200):
        del lines[number]
    (folder / "damaged.csv").write_text("".join(lines))
    return folder


# The chunks are so small that several workers get some.
COMMAND = """
import sys
from cardlab.analysis import parallel_reader
from cardlab.analysis.commands import main
if __name__ == "__main__":
    parallel_reader.CHUNK_BYTES = 50_000
    sys.exit(main(["hands", *sys.argv[1:], "--engine", "dask"]))
"""


def by_dask(folder, *options, source="ttt.csv"):
    """Runs ``hands --engine dask`` with small chunks; returns exit code, stderr, and the bytes written."""
    out = folder / "out.csv"
    out.unlink(missing_ok=True)
    script = folder / "command.py"
    script.write_text(COMMAND)
    done = subprocess.run(
        [PYTHON, script, source, "-o", out, *options],
        cwd=folder,
        env=ENVIRONMENT,
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr, out.read_bytes() if out.exists() else b""


@pytest.fixture
def expected(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["hands", "ttt.csv", "-o", "expected.csv"]) == 0
    return (folder / "expected.csv").read_bytes()


@pytest.fixture
def cluster(folder, request):
    """Provides the address of a local cluster with ``request.param`` workers."""
    script = folder / "cluster.py"
    script.write_text(CLUSTER)
    environment = {**ENVIRONMENT, "DASK_TEMPORARY_DIRECTORY": str(folder)}
    streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(
        [PYTHON, script, str(request.param)], env=environment, text=True, **streams
    ) as process:
        yield process.stdout.readline().strip()
        process.communicate()


@pytest.mark.long("the same as on a cluster")
def test_local_dask_gives_the_expected_table(folder, expected):
    assert by_dask(folder) == (0, "", expected)


def test_damaged_table_gives_the_same_with_dask(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    code = main(["hands", "damaged.csv", "-o", "expected.csv"])
    messages = capsys.readouterr().err
    assert messages.count("warning: ") == 2
    assert by_dask(folder, source="damaged.csv") == (code, messages, (folder / "expected.csv").read_bytes())


@pytest.mark.parametrize("cluster", [1], indirect=True)
def test_dask_cluster_gives_the_expected_table(folder, expected, cluster):
    assert by_dask(folder, "--scheduler", cluster) == (0, "", expected)


@pytest.mark.long("starts a cluster")
@pytest.mark.parametrize("cluster", [0], indirect=True)
def test_cluster_without_workers_is_refused_at_once(folder, cluster):
    sentence = f"error: {cluster}: This Dask cluster has no workers.\n"
    assert by_dask(folder, "--scheduler", cluster) == (2, sentence, b"")


@pytest.mark.long("waits for a timeout")
def test_unreachable_scheduler_is_refused(folder):
    with socket.socket() as taken:  # bound, but not listening
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code, messages, written = by_dask(folder, "--scheduler", address)
    assert (code, written) == (2, b"")
    assert messages.splitlines() == [
        f"error: {address}: No Dask scheduler answers at this address. "
        "An address has the form tcp://192.0.2.7:8786."
    ]


def test_invalid_scheduler_address_is_refused(folder):
    code, messages, written = by_dask(folder, "--scheduler", "no address")
    assert (code, written, messages.count("\n")) == (2, b"", 1)
    assert messages.startswith("error: no address: No Dask scheduler answers at this address.")


def test_missing_dask_error_says_what_to_install(folder, capsys):
    code = main(["hands", str(folder / "ttt.csv"), "--engine", "dask", "-o", str(folder / "none.csv")])
    messages = capsys.readouterr().err
    assert (code, messages.count("\n")) == (2, 1)
    assert "extra dask" in messages
    assert not (folder / "none.csv").exists()


def test_scheduler_option_requires_dask(folder, capsys):
    scheduler = ["--scheduler", "tcp://127.0.0.1:1"]
    assert main(["hands", str(folder / "ttt.csv"), *scheduler, "-o", str(folder / "none.csv")]) == 2
    assert "Use --scheduler only with --engine dask." in capsys.readouterr().err
