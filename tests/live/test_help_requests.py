"""Tests the text of a request for help: one short line, with nothing that changes the page around it."""

import unicodedata

import pytest
import without_database  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st

from cardlab.live.help_requests import MAX_LENGTH, clean_line


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("  Where is\n\tthe goal? ", "Where is the goal?"),
        ("<b>bold</b> & more", "<b>bold</b> & more"),
        ("a\u202eb\u2066c", "abc"),
        ("a\x00b\ud800c", "abc"),
        ("👩\u200d🔬 aiuto", "👩\u200d🔬 aiuto"),
        ("\u202e \x07", ""),
        ("x" * 300, "x" * MAX_LENGTH),
    ],
)
def test_request_is_one_clean_line(sent, kept):
    assert clean_line(sent) == kept


@given(st.text(st.characters(), max_size=400))
def test_any_text_becomes_storable_line(sent):
    line = clean_line(sent)
    line.encode()  # a database can store it
    assert len(line) <= MAX_LENGTH
    assert line == line.strip()
    assert not any(unicodedata.category(one) == "Cc" for one in line)
    assert clean_line(line) == line
