"""Tests `hands` with several processes: the same bytes and messages as with one, in bounded memory."""

import csv
import io
import multiprocessing
from itertools import count, islice
from time import monotonic, sleep

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from performance_measures import measured_rows

from cardlab.analysis import hands, parallel, parallel_reader, sources
from cardlab.analysis.commands import main
from cardlab.analysis.spreadsheets import TableFile
from cardlab.games.contract import BadFile
from cardlab.games.registry import games_by_name

pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Provides a simulated table, whole and damaged, one of pairs, and one of another game."""
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
    """Runs ``hands``; returns exit code, messages and the table of hands."""
    out = tables / "out.csv"
    out.unlink(missing_ok=True)
    code = main(["hands", *[str(tables / f"{name}.csv") for name in names], "-o", str(out), *options])
    return code, capsys.readouterr().err, out.read_bytes() if out.exists() else b""


@pytest.mark.parametrize("name", TABLES)
def test_workers_give_the_single_process_output(tables, name, capsys, monkeypatch):
    monkeypatch.setattr(parallel_reader, "CHUNK_BYTES", 4_000)
    monkeypatch.setattr(parallel_reader, "open_cores", here)
    for options in ([], ["--strict"]):
        expected = made(tables, [name], capsys, "--jobs", "1", *options)
        assert made(tables, [name], capsys, "--jobs", "2", *options) == expected
    assert expected[0] == 0 or expected[1].count("error: ") == 1


def here(work, _jobs, ahead):
    """Works like ``parallel.open_cores``, but runs the tasks in this process."""
    return parallel.open_cores(work, 1, ahead)


def test_worker_processes_agree_and_end(tables, capsys, monkeypatch):
    monkeypatch.setattr(parallel_reader, "CHUNK_BYTES", 20_000)
    for names in (["ttt", "damaged", "ttt"], ["damaged"], ["damaged", "unreadable"]):
        expected = made(tables, names, capsys, "--jobs", "1")
        assert made(tables, names, capsys, "--jobs", "2") == expected
        assert wait_for_processes()


def wait_for_processes():
    """Waits up to ten seconds for terminated processes and returns whether none is left."""
    late = monotonic() + 10
    while multiprocessing.active_children() and monotonic() < late:
        sleep(0.05)
    return not multiprocessing.active_children()


def test_large_tables_are_shared_out_by_default(tables, monkeypatch):
    taken = []
    monkeypatch.setattr(
        parallel_reader, "open_cores", lambda work, jobs, ahead: taken.append(jobs) or here(work, 1, 1)
    )
    monkeypatch.setattr(parallel_reader.os, "cpu_count", lambda: 4)
    size = (tables / "ttt.csv").stat().st_size
    for bytes_each, jobs in ((size, []), (size // 2, [2]), (1, [4])):
        monkeypatch.setattr(parallel_reader, "BYTES_PER_PROCESS", bytes_each)
        assert main(["hands", str(tables / "ttt.csv"), "-o", str(tables / "out.csv")]) == 0
        assert taken == jobs
        taken.clear()
    assert main(["hands", str(tables / "ttt.csv"), "-o", str(tables / "out.csv"), "--jobs", "1"]) == 0
    assert taken == []


def test_number_of_queued_tasks_is_limited():
    taken = []
    tasks = (taken.append(number) or number for number in count())
    with parallel.open_cores(abs, 2, ahead=4) as compute:
        assert list(islice(compute(tasks), 3)) == [0, 1, 2]
        assert len(taken) <= 3 + 4
    assert wait_for_processes()


def test_jobs_option_is_refused_for_dask(tables, capsys):
    code, said, _table = made(tables, ["ttt"], capsys, "--engine", "dask", "--jobs", "2")
    assert (code, said.startswith("error: --jobs: ")) == (2, True)


def test_killed_worker_is_reported():
    with (
        pytest.raises(BadFile, match="Use fewer jobs"),
        parallel.open_cores(parallel_reader.os._exit, 2) as compute,
    ):
        list(compute([1, 1]))


@pytest.fixture(scope="module")
def rows(tables):
    """Provides the first rows of the simulated table, including the heading."""
    with (tables / "ttt.csv").open(encoding="utf-8", newline="") as file:
        return list(islice(csv.reader(file), 200))


def write_rows(rows, path, **dialect):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, **dialect).writerows(rows)


def assert_workers_agree(path, chunk_bytes):
    """Compares the table of hands and all messages of the workers' reader with the ordinary reader's."""

    def read_chunks(source):
        return parallel_reader.read_table(
            source, lambda chunks: map(parallel_reader.compute_chunk, chunks), chunk_bytes
        )

    expected = read_all(path, sources.read_table)
    assert read_all(path, read_chunks) == expected
    return expected


def read_all(path, read):
    """Returns the table of hands, the number of its rows, and the messages."""
    sentences, out = [], io.StringIO()
    try:
        found = sources.read_hands([path], sentences.append, read)
        written = hands.write_table(sources.warn_at_end(found, sentences.append), out)
    except BadFile as error:
        return out.getvalue(), 0, [*sentences, f"error: {error}"]
    return out.getvalue(), written, sentences


@pytest.mark.parametrize(
    "dialect", [{"delimiter": ";"}, {"delimiter": "\t"}, {"lineterminator": "\n"}, {"quoting": csv.QUOTE_ALL}]
)
def test_workers_agree_on_every_csv_dialect(rows, tmp_path, dialect):
    write_rows(rows, tmp_path / "table.csv", **dialect)
    _table, written, sentences = assert_workers_agree(tmp_path / "table.csv", 5_000)
    assert written == 10
    assert not [sentence for sentence in sentences if sentence.startswith("error")]


ODD_CELLS = [
    *("", "x", "-1", "1.0", "1", "0", "9" * 16, "'=1", "T", "{}", "[]", "solo", "\r", "ü", "\ufeff"),
    *("2026-02-30T10:00:00.000Z", "2026-01-01 10:00:00.000Z", "2026-01-01T10:00:00+00:00"),
    *("end solved", "end open", "clock +5", "reconnect", "look ck", "deal x", "leave advanced", "pause"),
    *('a "b" c', "two\nlines"),
]


@given(data=st.data())
def test_workers_agree_on_odd_cells(rows, tables, data):
    table = [list(row) for row in rows]
    for _ in range(data.draw(st.integers(1, 3))):
        row = table[data.draw(st.integers(1, len(table) - 1))]
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from(ODD_CELLS))
    write_rows(table, tables / "odd.csv")
    assert_workers_agree(tables / "odd.csv", data.draw(st.sampled_from([3_000, 1_000_000])))


@given(data=st.data())
def test_workers_agree_on_damaged_rows(rows, tables, data):
    table = [list(row) for row in rows]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(1, len(table) - 1))
        change = data.draw(st.sampled_from(["missing", "doubled", "moved", "short", "blank"]))
        if change == "missing":
            del table[place]
        elif change == "doubled":
            table.insert(place, list(table[place]))
        elif change == "moved":
            table.insert(data.draw(st.integers(1, len(table) - 1)), table.pop(place))
        elif change == "short":
            table[place] = table[place][:-1]
        else:
            table.insert(place, [])
    write_rows(table, tables / "odd.csv")
    assert_workers_agree(tables / "odd.csv", data.draw(st.sampled_from([3_000, 1_000_000])))


@given(
    position=st.integers(0, 20_000),
    inserted=st.sampled_from([b'"', b"\r", b"\n", b",", b"\xff", b"\0", b"\xef\xbb\xbf"]),
)
@example(position=5327, inserted=b"\xff")
def test_workers_agree_on_inserted_bytes(rows, tables, position, inserted):
    path = tables / "odd.csv"
    write_rows(rows, path)
    content = path.read_bytes()
    position = len(content) * position // 20_001
    path.write_bytes(content[:position] + inserted + content[position:])
    assert_workers_agree(path, 5_000)


def test_deal_measures_do_not_differ_within_a_deal(tables):
    game = games_by_name()["ttt"]
    for row in measured_rows(sources.read_table(TableFile.exported(tables / "ttt.csv"))):
        assert row["expected_moves"]
        for measure in game.performance.deal_measures:
            value = measure(row)
            assert row[measure.__name__] == ("" if value is None else value)
