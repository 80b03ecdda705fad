"""Compares `hands --engine dask` with the default engine: the same bytes and the same messages.

Dask has an environment of its own, .venv-dask, which `lab.py test --long` makes: everything runs in its
processes.
"""

import csv
import json
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

# Runs cases (sources and a file to write) with parts of 12 kB, one after the other in one process, with Dask
# set as the engine sets it; then a command, of which it prints exit code and messages.
MANY = """
import contextlib, io, json, sys
from pathlib import Path
import dask.dataframe
from cardlab.analysis import dask_engine, hands, sources
from cardlab.analysis.commands import main
from cardlab.games.contract import BadFile

def compute(delayed):
    assert len(delayed) > 1, "a case that is one part tests nothing"
    for one in delayed:
        yield one.compute(scheduler="synchronous")

def run(paths, out):
    said = []
    read = lambda path: dask_engine.table(path, compute, 12_000)
    try:
        with open(out, "w", encoding="utf-8", newline="") as file:
            hands_read = sources.hands([Path(path) for path in paths], said.append, read)
            hands.write(sources.noticed(hands_read, said.append), file)
    except BadFile as error:
        return [*(f"warning: {sentence}" for sentence in said), f"error: {error}"]
    return [f"warning: {sentence}" for sentence in said]

asked = json.loads(sys.stdin.read())
with dask.config.set({"dataframe.convert-string": False}):
    dask_results = {name: run(*case) for name, case in asked["cases"].items()}
with contextlib.redirect_stderr(io.StringIO()) as said:
    dask_results["command"] = [main(asked["command"]), said.getvalue()]
print(json.dumps(dask_results))
"""

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
    reason="there is no .venv-dask; `lab.py test --long` makes it from requirements-dask.txt",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Simulates tables and damages copies of them."""
    folder = tmp_path_factory.mktemp("dask")
    for game, hands in (("ttt", 6), ("matrix", 3)):
        simulated = ["simulate", game, "--hands", str(hands), "--participants", "4", "--repeat", "2"]
        assert main([*simulated, "-o", str(folder / f"{game}.csv")]) == 0
    rows = read_rows(folder / "ttt.csv")
    place = {name: rows[0].index(name) for name in rows[0]}
    begins = [number for number, row in enumerate(rows) if row[place["action_number"]] == "0"]

    def changed(name, *changes):
        """The table with some rows changed, the last row of the file first so that numbers stay."""
        table = [list(row) for row in rows]
        for change in changes:
            change(table)
        with open(folder / name, "w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table)

    def cell(row, column, text):
        return lambda table: table[row].__setitem__(place[column], text)

    lines = [
        cell(number, "notice", 'a "notice"\nof\r\nmany, "lines",\n') for number in [*begins[::3], begins[-1]]
    ]
    changed("lines.csv", *lines, cell(begins[4], "participant_label", "'=1+1"))
    changed("early.csv", lambda table: table.__delitem__(slice(begins[15] + 3, None)))
    late = begins[30]
    changed("illegal.csv", cell(late + 1, "action", "X"), cell(begins[40] + 1, "client_ms", "soon"))
    changed("no_number.csv", cell(late + 2, "client_ms", "soon"), cell(begins[40] + 1, "action", "X"))
    changed("no_deal.csv", lambda table: table.__delitem__(late))
    changed("short.csv", lambda table: table[late].pop())
    changed("twice.csv", lambda table: table.extend(rows[begins[3] : begins[4]]))
    changed("other_app.csv", cell(late, "app", "matrix_game_app"))
    changed("no_app.csv", cell(late, "app", "chess_app"))
    changed("no_settings.csv", cell(late, "settings", "[]"))
    changed("odd_settings.csv", cell(late, "settings", '{"MaxRounds":"x"}'))
    changed("no_outcome.csv", cell(late - 1, "action", "end won"))
    changed("no_practice.csv", cell(late, "practice", "no"))
    changed("open.csv", lambda table: table.__delitem__(late - 1))
    changed("gaps.csv", *(lambda table, row=begin + 1: table.__delitem__(row) for begin in begins[40:16:-1]))
    changed("broken_off.csv", lambda table: table.__delitem__(slice(begins[10] + 1, begins[11])))
    text = (folder / "ttt.csv").read_bytes().split(b"\n")
    text[late] = text[late].replace(b"deal", b"d\xe4al")
    (folder / "latin.csv").write_bytes(b"\n".join(text))
    (folder / "semicolons.csv").write_text(
        "\n".join(";".join(f'"{cell}"' if "\n" in cell else cell for cell in row) for row in _plain(rows)),
        encoding="utf-8-sig",
    )
    logs = folder / "logs"
    assert main(["split", str(folder / "early.csv"), "--out", str(logs)]) == 0
    return folder


CASES = {
    "ttt": ["ttt.csv"],
    "matrix": ["matrix.csv"],
    "lines within cells": ["lines.csv"],
    "semicolons": ["semicolons.csv"],
    "sources that overlap": ["early.csv", "ttt.csv", "early.csv"],
    "tables and logs": ["logs/*.txt", "ttt.csv"],
    "a broken hand that another source has in full": ["no_settings.csv", "lines.csv"],
    "an action that cannot be": ["illegal.csv"],
    "a cell that cannot be read": ["no_number.csv"],
    "a hand without its deal": ["no_deal.csv"],
    "a row cut off": ["short.csv"],
    "a hand in two sources": ["twice.csv"],
    "another game": ["other_app.csv"],
    "another game in another table": ["ttt.csv", "matrix.csv"],
    "an unknown game": ["no_app.csv"],
    "settings that are none": ["no_settings.csv"],
    "settings of another kind": ["odd_settings.csv"],
    "an outcome that there is not": ["no_outcome.csv"],
    "practice that is neither yes nor no": ["no_practice.csv"],
    "an end that is missing": ["open.csv"],
    "gaps in many hands": ["gaps.csv"],
    "a hand left open by who plays on": ["broken_off.csv"],
    "a hand with contradicting sources": ["ttt.csv", "illegal.csv"],
    "no UTF-8": ["latin.csv"],
}


@pytest.fixture(scope="module")
def dask_results(folder):
    """Returns the messages of Dask for each case, and for an invalid scheduler as ``command``."""
    cases = {name: [_sources(folder, names), str(folder / f"{name}.dask")] for name, names in CASES.items()}
    command = ["hands", str(folder / "ttt.csv"), "--engine", "dask", "--scheduler", "no address"]
    asked = json.dumps({"cases": cases, "command": [*command, "-o", str(folder / "nowhere.csv")]})
    done = subprocess.run([PYTHON, "-c", MANY], env=ENVIRONMENT, input=asked, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", CASES)
def test_dask_output_equals_the_default_engines(folder, dask_results, capsys, name):
    out = folder / f"{name}.parts"
    code = main(["hands", *_sources(folder, CASES[name]), "-o", str(out)])
    messages = capsys.readouterr().err.splitlines()
    assert dask_results[name] == messages
    if code == 0:
        assert (folder / f"{name}.dask").read_bytes() == out.read_bytes()
        assert out.stat().st_size > 1000
    else:
        assert messages[-1].startswith("error: ")


def _sources(folder, names):
    return [str(path) for name in names for path in sorted(folder.glob(name))]


def _plain(rows):
    return [[cell.replace('"', '""').join('""') if '"' in cell else cell for cell in row] for row in rows]


def read_rows(path):
    with open(path, encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


# ---------------------------------------------------------------- at the terminal


def by_dask(folder, *options):
    """Runs ``hands --engine dask`` with small parts; exit code, stderr, and the bytes written."""
    out = folder / "out.csv"
    out.unlink(missing_ok=True)
    command = [
        "-m",
        "cardlab.analysis",
        "hands",
        "ttt.csv",
        "--engine",
        "dask",
        "--part-megabytes",
        "0.05",
        "-o",
    ]
    done = subprocess.run(
        [PYTHON, *command, out, *options], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True
    )
    return done.returncode, done.stderr, out.read_bytes() if out.exists() else b""


@pytest.fixture
def expected(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert main(["hands", "ttt.csv", "-o", "expected.csv"]) == 0
    return (folder / "expected.csv").read_bytes()


@pytest.fixture
def cluster(folder, request):
    """Provides the address of a cluster on this machine, with so many workers."""
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
    with socket.socket() as taken:  # bound, but it does not listen
        taken.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
        code, messages, written = by_dask(folder, "--scheduler", address)
    assert (code, written) == (2, b"")
    assert messages.splitlines() == [
        f"error: {address}: No Dask scheduler answers at this address. "
        "An address has the form tcp://192.0.2.7:8786."
    ]


def test_invalid_scheduler_address_is_refused(folder, dask_results):
    code, messages = dask_results["command"]
    assert code == 2
    assert not (folder / "nowhere.csv").exists()
    assert messages.startswith("error: no address: No Dask scheduler answers at this address.")
    assert messages.count("\n") == 1


def test_missing_dask_error_says_what_to_install(folder, capsys):
    code = main(["hands", str(folder / "ttt.csv"), "--engine", "dask", "-o", str(folder / "none.csv")])
    messages = capsys.readouterr().err
    assert (code, messages.count("\n")) == (2, 1)
    assert "requirements-dask.txt" in messages
    assert not (folder / "none.csv").exists()


def test_scheduler_option_requires_dask(folder, capsys):
    scheduler = ["--scheduler", "tcp://127.0.0.1:1"]
    assert main(["hands", str(folder / "ttt.csv"), *scheduler, "-o", str(folder / "none.csv")]) == 2
    assert "--engine dask" in capsys.readouterr().err
