"""Tests that a large table can be split anywhere and still gives the same hands on the same lines."""

import csv

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.analysis import sources
from cardlab.analysis.actions_table import SeenNames
from cardlab.analysis.chunks import split_table
from cardlab.analysis.commands import main
from cardlab.analysis.spreadsheets import TableFile

STRANGE = st.text(st.sampled_from('ab",;\n\r\t'), max_size=12)


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    """Provides the rows of a small table, and a file to write them to."""
    path = tmp_path_factory.mktemp("sizes") / "table.csv"
    assert main(["simulate", "ttt", "--hands", "2", "--participants", "3", "-o", str(path)]) == 0
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file)), path


@given(data=st.data())
def test_table_parts_contain_the_same_hands_wherever_cut(table, data):
    rows, path = [list(row) for row in table[0]], table[1]
    notice, deals = (
        rows[0].index("notice"),
        [row for row in rows if row[rows[0].index("action_number")] == "0"],
    )
    for row in deals:
        row[notice] = data.draw(STRANGE)
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, delimiter=data.draw(st.sampled_from(",;\t"))).writerows(rows)
    size = data.draw(st.integers(1, 4000))
    found, cut = _hands_of_parts(path, size), list(split_table(TableFile.exported(path), size))
    assert found == _hands_of(path)
    assert len(found) == len(deals) == 6
    assert [part.begin for part in cut[1:]] == [part.end for part in cut[:-1]]
    assert cut[-1].end == path.stat().st_size


def test_table_is_cut_at_line_ends_within_quotes(table):
    rows, path = [list(row) for row in table[0]], table[1]
    rows[1][rows[0].index("notice")] = "odd\rnotice"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    content = path.read_bytes()
    size = content.index(b"odd\r") + 3 - content.index(b"\n") - 1
    assert _hands_of_parts(path, size) == _hands_of(path)


def test_splitting_into_one_byte_parts_separates_hands(table):
    rows, path = table
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    assert len(list(split_table(TableFile.exported(path), 1))) == 6


def test_stray_quote_gives_fewer_parts_but_same_hands(table):
    rows, path = table
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(rows)
    text = path.read_bytes().replace(b",1,,", b',1,""x",', 1).replace(b"deal ", b'deal "', 1)
    path.write_bytes(text)
    assert _hands_of_parts(path, 1) == _hands_of(path)


@given(st.lists(st.text(max_size=2)))
def test_seen_names_recognises_repeated_names(texts):
    once, before = SeenNames(), set()
    for text in texts:
        assert once.add(text) == (text not in before)
        before.add(text)


def _hands_of(path):
    """Returns the content of each hand; no two hands are equal."""
    return [vars(hand) for hand in sources.read_table(TableFile.exported(path))]


def _hands_of_parts(path, size):
    return [vars(hand) for part in split_table(TableFile.exported(path), size) for hand in part.hands()]
