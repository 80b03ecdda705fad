"""Read by columns, tables tell the same hands in the same words, byte by byte, whatever befell them."""

from __future__ import annotations

import contextlib
import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cardlab.analysis import hands, parallel_reader, sources
from cardlab.analysis.commands import main
from cardlab.analysis.report import quality
from cardlab.games.contract import BadFile
from cardlab.games.ttt import rules

columnar = pytest.importorskip("cardlab.analysis.columnar", reason="pyarrow is not installed")

MIX = "random:1,informed:2,routinizing:1"  # so that there are hands of their own and hands like others


@pytest.fixture(scope="module")
def rows(tmp_path_factory):
    """The rows of simulated sessions, the heading first."""
    path = tmp_path_factory.mktemp("columns") / "table.csv"
    asked = ["ttt", "--hands", "5", "--participants", "8", "--repeat", "3", "--mix", MIX]
    assert main(["simulate", *asked, "-o", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("written") / "table.csv"


def written(rows, path, separator=",", **how):
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=separator, **how).writerows(rows)
    return path


def told(path, read):
    """The table of hands, and what is said."""
    said, out = [], io.StringIO()
    try:
        found = hands.write_table(
            sources.warn_at_end(sources.read_hands([path], said.append, read), said.append), out
        )
    except BadFile as error:
        said.append(f"error: {error}")
        found = 0
    return out.getvalue(), found, said


def by_columns(size):
    return lambda path: columnar.read_table(path, size)


def by_workers(size):
    return lambda path: parallel_reader.read_table(
        path, lambda parts: map(parallel_reader.compute_chunk, parts), size
    )


def same(path, size=20_000):
    """Whether nothing differs, also where workers tell it; and what it is."""
    plain = told(path, sources.read_table)
    assert told(path, by_columns(size)) == plain
    assert told(path, by_workers(size)) == plain
    return plain


def at(rows, name):
    return rows[0].index(name)


def test_what_is_asked_once_for_each_deal_is_so_for_each_hand(rows, path):
    for game, row in hands.iterate_rows(sources.read_table(written(rows, path))):
        assert row["expected_moves"]
        for measure in game.performance.OF_DEAL:
            told = measure(row)
            assert row[measure.__name__] == ("" if told is None else told)


def test_clean_tables_and_most_hands_are_like_others(rows, path):
    table, found, said = same(written(rows, path))
    assert (found, said) == (120, [])
    kinds = [type(hand).__name__ for hand in columnar.read_table(path, 20_000)]
    assert kinds.count("TemplatedHand") > 20
    assert kinds.count("SourceHand") == 0


def test_each_hand_is_told_with_all_that_the_plain_reader_tells(rows, path):
    written(rows, path)
    for one, other in zip(columnar.read_table(path, 20_000), sources.read_table(path), strict=True):
        assert (one.file, one.line, one.cells) == (other.file, other.line, other.cells)
        assert (one.events, one.people, one.end) == (other.events, {**other.people}, other.end)


@pytest.mark.parametrize(
    "how", [{"separator": ";"}, {"separator": "\t"}, {"lineterminator": "\n"}, {"quoting": 1}]
)
def test_other_ways_to_write_a_table(rows, path, how):
    assert same(written(rows, path, **how))[1:] == (120, [])


@pytest.mark.parametrize("game", ["matrix", "triangle"])
def test_games_that_do_not_say_what_hangs_on_times(game, path):
    assert main(["simulate", game, "--hands", "1", "--participants", "4", "-o", str(path)]) == 0
    assert same(path)[1] == 4


def test_a_score_by_time_is_each_hands_own(rows, path):
    settings = at(rows, "settings")
    timed = [
        [cell.replace('"moves"', '"time"') if n == settings else cell for n, cell in enumerate(row)]
        for row in rows
    ]
    plain, by_time = same(written(rows, path))[0], same(written(timed, path))[0]
    scores = [[row["score"] for row in csv.DictReader(io.StringIO(table))] for table in (plain, by_time)]
    assert len(set(scores[1])) > len(set(scores[0]))


ODD = [
    "",
    "x",
    "-1",
    "1.0",
    "1",
    "0",
    "9" * 16,
    "2026-02-30T10:00:00.000Z",
    "2026-01-01 10:00:00.000Z",
    "'=1",
]
ODD += [
    "2026-01-01T10:00:00+00:00",
    "T",
    "end solved",
    "end open",
    "clock +5",
    "reconnect",
    "look ck",
    "deal x",
]
ODD += ['a "b" c', "two\nlines", "\r", "ü", "\ufeff", "{}", "[]", "solo", "leave advanced", "pause", "\0"]


@given(data=st.data())
def test_whatever_a_cell_holds_it_is_told_alike(rows, path, data):
    table = [list(row) for row in rows[: data.draw(st.integers(100, 400))]]
    for _ in range(data.draw(st.integers(1, 3))):
        row = table[data.draw(st.integers(1, len(table) - 1))]
        row[data.draw(st.integers(0, len(row) - 1))] = data.draw(st.sampled_from(ODD))
    same(written(table, path), data.draw(st.sampled_from([3_000, 1_000_000])))


def counted(path, read):
    """The counts of what an analyst should know."""
    counts = quality.QualityCounts()
    with contextlib.suppress(BadFile):
        for hand in sources.read_hands([path], str, read):
            counts.add(hand, rules)
    return counts.frame({}).to_dict("records")


HAPPENED = {
    "client_ms": ["", "0", "1", "2500", "999999"],
    "server_time_utc": ["2026-01-01T00:00:00.000Z", "2027-01-01T00:00:00.000Z"],
    "shown_utc": ["", "2026-01-01T00:00:00.000Z"],
    "accepted": ["", "0", "1"],
    "action": ["reconnect", "second tab", "end timeout", "T"],
    "seat": ["", "solo"],
}


@given(data=st.data())
def test_whatever_happens_in_a_hand_is_counted_alike(rows, path, data):
    table = [list(row) for row in rows[: data.draw(st.integers(100, 400))]]
    for _ in range(data.draw(st.integers(0, 6))):
        column = data.draw(st.sampled_from(sorted(HAPPENED)))
        row = table[data.draw(st.integers(1, len(table) - 1))]
        row[at(rows, column)] = data.draw(st.sampled_from(HAPPENED[column]))
    written(table, path)
    assert counted(path, by_columns(20_000)) == counted(path, sources.read_table)


def test_hands_in_which_nothing_happened_are_known_before_their_events(rows, path):
    found = [hand.clock_gap_ms for hand in columnar.read_table(written(rows, path))]
    assert None not in found
    assert max(found) < quality.TOLERANCE_MS


@given(data=st.data())
def test_whatever_becomes_of_rows_it_is_told_alike(rows, path, data):
    table = [list(row) for row in rows[:300]]
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(1, len(table) - 1))
        change = data.draw(st.sampled_from(["missing", "doubled", "swapped", "short", "blank"]))
        if change == "missing":
            del table[place]
        elif change == "doubled":
            table.insert(place, list(table[place]))
        elif change == "swapped":
            table.insert(data.draw(st.integers(1, len(table) - 1)), table.pop(place))
        elif change == "short":
            table[place] = table[place][:-1]
        else:
            table.insert(place, [])
    same(written(table, path), data.draw(st.sampled_from([3_000, 1_000_000])))


@given(
    place=st.integers(0, 20_000),
    sign=st.sampled_from([b'"', b"\r", b"\n", b",", b"\xff", b"\0", b"\xef\xbb\xbf"]),
)
@example(place=5327, sign=b"\xff")  # in the name of a hand where a part ends
def test_whatever_byte_is_put_in_it_is_told_alike(rows, path, place, sign):
    content = written(rows[:100], path).read_bytes()
    place = len(content) * place // 20_001
    path.write_bytes(content[:place] + sign + content[place:])
    same(path, 5_000)


@pytest.mark.parametrize("command", ["hands", "moves"])
def test_commands_read_large_tables_by_columns(command, rows, path, tmp_path, monkeypatch):
    written(rows[:200], path)
    read, out = [], [tmp_path / name for name in ("plain.csv", "columns.csv")]
    monkeypatch.setattr(columnar, "_table", lambda *given, own=columnar._table: read.append(1) or own(*given))
    assert main([command, str(path), "-o", str(out[0])]) == 0
    assert not read
    monkeypatch.setattr(sources, "_LARGE_BYTES", 0)
    assert main([command, str(path), "-o", str(out[1])]) == 0
    assert read
    assert out[0].read_bytes() == out[1].read_bytes()
