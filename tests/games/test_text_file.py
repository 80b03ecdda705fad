"""Tests that malformed files are refused quickly in one short sentence."""

import time
from contextlib import suppress

import pytest

from cardlab.games.contract import BadFile
from cardlab.games.matrix import deal_file as matrix
from cardlab.games.text_file import shorten
from cardlab.games.triangle import deal as triangle
from cardlab.games.ttt import settings_file, show_file

READERS = {
    "show file": lambda text: show_file.read(text, "mine.txt"),
    "settings file": lambda text: settings_file.read(text, "mine.txt"),
    "deals of the matrix card game": lambda text: matrix.read(text, "mine.txt", {}),
    "deals of Triangle Solitaire": lambda text: triangle.read_deal_file(text, "mine.txt"),
}


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("line", ["|" * 100_000, "2H " * 300_000, "//" + "a" * 10_000])
def test_overlong_line_is_refused_with_its_position(read, line):
    with pytest.raises(BadFile) as wrong:
        read(f"// a comment\n{line}\n")
    assert (wrong.value.line, wrong.value.column) == (2, 10_001)
    assert wrong.value.message == f"The line has {len(line)} characters. The limit is 10000."


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("line", ["|" * 9999, "[" * 9999, "2H " * 3333, "=" * 9999])
def test_long_line_gives_a_short_error(read, line):
    with pytest.raises(BadFile) as wrong:
        read(f"// a comment\n{line}\n")
    assert wrong.value.line == 2
    assert len(str(wrong.value)) < 300


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("line", [f"// order: a{' ' * 9000}b", f"x = y{' ' * 9000}z", f"C{' ' * 9000}|"])
def test_megabyte_of_blanks_is_read_quickly(read, line):
    before = time.process_time()
    with suppress(BadFile):  # some readers take the line for a comment
        read(f"{line}\n" * 100)
    assert time.process_time() - before < 5  # takes some hundredths; it was 40 s


def test_thousand_headings_give_one_warning():
    heading = "NK N UP C CK T\n"
    show = show_file.read(heading * 1000 + "2H 3C 3H 4C 2C 4H 2H ck\n", "mine.txt")
    assert len(show.warnings) == 1


def test_quoted_value_is_short_and_single_line():
    assert shorten("a\nb\0") == "a�b�"
    assert shorten("x" * 80) == "x" * 80
    assert shorten("x" * 10**6) == "x" * 79 + "…"
    assert shorten([1, "2"]) == "[1, '2']"
