"""`hands` by several processes: the same bytes and the same sentences as by one, and no more in memory."""

import csv
import multiprocessing
from itertools import count, islice
from time import monotonic, sleep

import pytest

from cardlab.analysis import parallel, parallel_reader
from cardlab.analysis.commands import main
from cardlab.games.contract import BadFile

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """A simulated table, whole and damaged; a table in which two play; one of another game."""
    folder = tmp_path_factory.mktemp("workers")
    for name, *asked in (("ttt", "ttt"), ("pairs", "ttt", "--set", "players=2"), ("matrix", "matrix")):
        simulated = ["simulate", *asked, "--hands", "4", "--participants", "4"]
        assert main([*simulated, "-o", str(folder / f"{name}.csv")]) == 0
    with (folder / "ttt.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    place = {name: rows[0].index(name) for name in rows[0]}
    begins = [number for number, row in enumerate(rows) if row[place["action_number"]] == "0"]
    late = begins[-3]

    def changed(name, *cells):
        table = [list(row) for row in rows]
        for row, column, text in cells:
            table[row][place[column]] = text
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows(table)

    changed("damaged", (begins[2] + 1, "action", "X"), (late + 1, "action", "X"))
    changed("unreadable", (begins[2] + 1, "action", "X"), (late + 1, "client_ms", "soon"))
    changed("no_settings", (late, "settings", "[]"))
    changed("odd_settings", (late, "settings", '{"MaxRounds":"x"}'))
    changed("other_game", (late, "app", "matrix_game_app"))
    changed("no_game", (late, "app", "chess_app"))
    changed("odd_number", (late, "hand", "third"))
    changed("twice", (late, "hand", rows[begins[0]][place["hand"]]))
    changed(
        "strange", (late, "notice", 'a "notice",\nof 5 % of\r\nlines'), (late, "participant_label", "'=1")
    )
    return folder


TABLES = ["ttt", "pairs", "matrix", "damaged", "unreadable", "no_settings", "odd_settings", "other_game"]
TABLES += ["no_game", "odd_number", "twice", "strange"]


def made(tables, names, capsys, *options):
    """Exit code, sentences and the table of hands."""
    out = tables / "out.csv"
    out.unlink(missing_ok=True)
    code = main(["hands", *[str(tables / f"{name}.csv") for name in names], "-o", str(out), *options])
    return code, capsys.readouterr().err, out.read_bytes() if out.exists() else b""


@pytest.mark.parametrize("installed", [True, False])
@pytest.mark.parametrize("name", TABLES)
def test_workers_tell_the_same(tables, name, installed, capsys, monkeypatch):
    if not installed:
        monkeypatch.setattr(parallel_reader, "find_spec", lambda _name: None)
    monkeypatch.setattr(parallel_reader, "PART_BYTES", 4_000)
    monkeypatch.setattr(parallel_reader, "open_cores", here)
    for options in ([], ["--strict"]):
        expected = made(tables, [name], capsys, "--jobs", "1", *options)
        assert made(tables, [name], capsys, "--jobs", "2", *options) == expected
    assert expected[0] == 0 or expected[1].count("error: ") == 1


def here(work, _jobs, ahead):
    """Like ``parallel.open_cores``, in this process."""
    return parallel.open_cores(work, 1, ahead)


def test_in_processes_of_their_own(tables, capsys, monkeypatch):
    monkeypatch.setattr(parallel_reader, "PART_BYTES", 20_000)
    for names in (["ttt", "damaged", "ttt"], ["damaged"], ["damaged", "unreadable"]):
        expected = made(tables, names, capsys, "--jobs", "1")
        assert made(tables, names, capsys, "--jobs", "2") == expected
        assert all_ended()


def all_ended():
    """Whether no process is left, after those that have been told to end had the time to."""
    late = monotonic() + 10
    while multiprocessing.active_children() and monotonic() < late:
        sleep(0.05)
    return not multiprocessing.active_children()


def test_large_tables_are_shared_out_unless_one_process_is_asked_for(tables, monkeypatch):
    taken = []
    monkeypatch.setattr(
        parallel_reader, "open_cores", lambda work, jobs, ahead: taken.append(jobs) or here(work, 1, 1)
    )
    monkeypatch.setattr(parallel_reader.os, "cpu_count", lambda: 4)
    size = (tables / "ttt.csv").stat().st_size
    for bytes_each, jobs in ((size, []), (size // 2, [2]), (1, [4])):
        monkeypatch.setattr(parallel_reader, "PAYS_FROM", bytes_each)
        assert main(["hands", str(tables / "ttt.csv"), "-o", str(tables / "out.csv")]) == 0
        assert taken == jobs
        taken.clear()
    assert main(["hands", str(tables / "ttt.csv"), "-o", str(tables / "out.csv"), "--jobs", "1"]) == 0
    assert taken == []


def test_no_more_tasks_are_taken_than_may_wait():
    taken = []
    tasks = (taken.append(number) or number for number in count())
    with parallel.open_cores(abs, 2, ahead=4) as compute:
        assert list(islice(compute(tasks), 3)) == [0, 1, 2]
        assert len(taken) <= 3 + 4
    assert all_ended()


def test_jobs_are_for_this_machine(tables, capsys):
    code, said, _table = made(tables, ["ttt"], capsys, "--engine", "dask", "--jobs", "2")
    assert (code, said.startswith("error: --jobs: ")) == (2, True)


def test_a_process_that_is_ended_from_outside_is_told_of():
    with (
        pytest.raises(BadFile, match="take fewer jobs"),
        parallel.open_cores(parallel_reader.os._exit, 2) as compute,
    ):
        list(compute([1, 1]))
