"""Checks the row digests in the tables that the server writes, and what they reveal."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from test_golden import FOLDER, GOLDEN, text

from cardlab.games.record import compact_json
from cardlab.row_chain import RowChain, encode_cells, has_digests, last_digest, rechain

TABLES = [file for game in GOLDEN for file in sorted((FOLDER / game).glob("*/custom_export*.csv"))]
CHAINED = [file for file in TABLES if has_digests(text(file).partition("\r\n")[0].split(","))]
HEADING = ["hand_id", "action", "digest"]
ROWS = [["h1", "deal"], ["h1", "D"], ["h1", "pause"], ["h2", "deal"], ["h2", "U"]]


def rows_of(content: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content, newline="")))


def table(*rows: list[str]) -> list[list[str]]:
    return list(rechain([HEADING, *rows]))


@pytest.mark.parametrize("file", CHAINED, ids=lambda file: f"{file.parts[-3]}-{file.stem}")
def test_exported_cells_have_their_digests(file):
    rows = rows_of(text(file))
    assert len(rows) > 2
    assert rows[0][-1] == "digest"
    assert list(rechain(rows)) == rows


def test_exports_of_hands_have_digests():
    without = {file.stem for file in TABLES} - {file.stem for file in CHAINED}
    assert without == {
        "custom_export_participants", "custom_export_tutorial", "custom_export_log", "custom_export_ck_log",
        "custom_export_nk_log", "custom_export_transform",
    }  # fmt: skip


def test_hand_begins_its_own_chain():
    assert table(*ROWS[3:])[1:] == table(*ROWS)[4:]


@pytest.mark.parametrize("place", range(3))
@pytest.mark.parametrize("damage", [lambda row: [row[0], f"{row[1]}x"], lambda _row: None])
def test_later_digests_depend_on_earlier_rows(place, damage):
    rows = list(ROWS)
    rows[place] = damage(rows[place])
    intact = {row[-1] for row in table(*ROWS)[1 + place : 4]}
    assert not intact & {row[-1] for row in table(*filter(None, rows))[1 + place :]}


def test_digest_covers_the_columns_names():
    renamed = list(rechain([["hand_id", "action_number", "digest"], *ROWS]))
    assert not {row[-1] for row in renamed} & {row[-1] for row in table(*ROWS)[1:]}


def test_cells_cannot_move_across_a_border():
    chain = RowChain(["hand_id", "one", "two", "digest"])
    assert chain.digest_next(["h", 'a","b', ""]) != chain.digest_next(["h", "a", "b"])


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]))))
@example(['a","b', "c"])
@example(["a\\", "\n", "\x7f", "é\u2028"])
def test_cells_are_encoded_as_json(cells):
    assert encode_cells(cells) == compact_json(cells)


def test_digest_is_that_of_a_record():
    assert last_digest("h1", ["a", "b"]) == last_digest(last_digest("h1", ["a"]), ["b"])
