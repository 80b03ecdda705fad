"""Tests the text of a request for help: one short line, with nothing that changes the page around it."""

import unicodedata
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
import without_database  # noqa: F401
from hypothesis import given
from hypothesis import strategies as st

from cardlab.live import help_requests, notices
from cardlab.live.help_requests import BURST, BURST_MS, MAX_LENGTH, clean_line
from cardlab.live.lab import LAB
from cardlab.live.presence import ParticipantIds


@pytest.mark.parametrize(
    ("sent", "kept"),
    [
        ("  Where is\n\tthe goal? ", "Where is the goal?"),
        ("<b>bold</b> & more", "<b>bold</b> & more"),
        ("a\u202eb\u2066c", "abc"),
        ("a \x1b b", "a b"),
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


@pytest.mark.parametrize(("seconds_later", "refused"), [(0, True), (BURST_MS / 1000, False), (-3600, False)])
def test_clock_set_back_refuses_no_help(monkeypatch, seconds_later, refused):
    asked = [notices.Notice(number, 1, notices.HELP, "Help", 10**7, 10**7) for number in range(BURST)]
    session = SimpleNamespace(config={"help_button": True})
    participants = SimpleNamespace(objects_get=lambda **_ids: SimpleNamespace(session=session))
    monkeypatch.setattr(help_requests, "Participant", participants)
    monkeypatch.setattr(help_requests, "session_scope", nullcontext)
    monkeypatch.setattr(help_requests, "standing_of", lambda _number: {})
    monkeypatch.setattr(help_requests, "now_ms", lambda: 10**7 + round(1000 * seconds_later))
    monkeypatch.setattr(LAB, "records", SimpleNamespace(write=lambda *_row: None), raising=False)
    monkeypatch.setattr(notices, "latest_notices", lambda *_request: asked)
    answer = help_requests.ask(ParticipantIds(1, 1, "code", "session"), "Help")
    assert bool(answer.message.get("help_refused")) is refused
