"""Tests the findings from browser events: time away, slowed-down tabs, several tabs."""

import csv
import json
import re
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cardlab.analysis.browser_events import NAME, Reported, ReportedEvent, read_browser_events
from cardlab.analysis.commands import main
from cardlab.games.contract import BadFile
from cardlab.games.tables import BROWSER_EVENT_COLUMNS, format_utc

EXAMPLE = Path(__file__).parents[2] / "docs" / "example" / "actions.csv"
BEAT = {"beats": 1, "round_trip_ms": 9, "longest_ms": 9, "offset_ms": 0, "late_ms": 50_000}
HERE = {"visible": True, "focused": True}


def reported(*events: tuple) -> Reported:
    """Returns reported events, each of (ms, event, details), in tab ``a`` or the one in "tab:event"."""
    rows = []
    for number, (ms, event, *rest) in enumerate(events, 1):
        tab, _colon, name = event.rpartition(":")
        rows.append(ReportedEvent(ms, tab or "a", number, name, rest[0] if rest else {}))
    return Reported(rows)


def test_hidden_page_and_lost_focus_are_one_absence():
    one = reported(
        (0, "opened", HERE),
        (1000, "blur"),
        (1001, "hidden"),
        (5000, "visible"),
        (5200, "focus"),
        (9000, "blur"),
    )
    assert one.absences == [(1000, 5200), (9000, None)]
    assert one.away_ms(0, 10_000) == 4200 + 1000
    assert one.away_ms(2000, 3000) == 1000
    assert one.away_ms(5200, 9000) == 0


def test_page_that_opens_in_the_background_is_away():
    assert reported(
        (0, "opened", {"visible": False, "focused": False}), (70, "visible"), (80, "focus")
    ).absences == [(0, 80)]


def test_another_tab_of_the_study_is_no_absence():
    one = reported(
        (0, "a:opened", HERE), (1000, "b:opened", HERE), (1001, "a:blur"), (4000, "b:blur"), (6000, "a:focus")
    )
    assert one.absences == [(4000, 6000)]


def test_tab_that_closed_unheard_does_not_count():
    one = reported((0, "a:opened", HERE), (1000, "b:opened", HERE), (2000, "b:blur"))
    assert one.absences == [(2000, None)]


def test_reload_is_one_tab_after_another():
    events = [(0, "a:opened", HERE), (5000, "a:hidden"), (5100, "b:opened", HERE), (9000, "b:blur")]
    assert not reported(*events).has_several_tabs
    assert reported(*events, (7000, "a:heartbeat", {"late_ms": 0})).has_several_tabs


def test_late_timers_are_counted():
    beats = [(ms, "heartbeat", {"late_ms": late}) for ms, late in ((0, 3), (60_000, 2000), (120_000, 2001))]
    assert reported(*beats).late_heartbeats == 1


EVENTS = [f"{tab}:{event}" for tab in "ab" for event in ("hidden", "visible", "blur", "focus", "input")]


@given(
    st.lists(st.tuples(st.integers(0, 1000), st.sampled_from(EVENTS)), max_size=12),
    st.lists(st.integers(0, 1000), min_size=3, max_size=3),
)
def test_time_away_adds_up(events, times):
    one = reported(*events)
    start, middle, end = sorted(times)
    assert 0 <= one.away_ms(start, end) <= end - start
    assert one.away_ms(start, end) == one.away_ms(start, middle) + one.away_ms(middle, end)
    assert None not in [end for _begin, end in one.absences[:-1]]


def write_events(folder: Path, *rows: dict) -> None:
    with (folder / NAME).open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(BROWSER_EVENT_COLUMNS), restval="")
        table.writeheader()
        table.writerows(rows)


def event_of(hand: dict, number: int, seconds: float, event: str, **details: object) -> dict:
    """Returns a row of the browser events table, so many seconds after a hand was first shown."""
    shown = hand["shown_utc"].replace("Z", "+00:00")
    ms = datetime.fromisoformat(shown).timestamp() * 1000 + 1000 * seconds
    return {
        **{name: hand[name] for name in ("session_code", "participant_code", "hand_id")},
        **{"tab": "a", "event_number": number, "event": event, "details": json.dumps(details)},
        "server_time_utc": format_utc(ms),
    }


@pytest.fixture
def folder(tmp_path):
    """Provides a folder with the table of actions of the example."""
    (tmp_path / "ttt_solo_app_actions.csv").write_bytes(EXAMPLE.read_bytes())
    return tmp_path


def quality_of(folder: Path) -> dict[str, str]:
    assert main(["report", str(folder), "--out", str(folder / "report"), "--no-search"]) == 0
    with (folder / "report" / "quality.csv").open(encoding="utf-8", newline="") as file:
        return next(csv.DictReader(file))


def test_quality_table_shows_time_away(folder, monkeypatch):
    monkeypatch.setattr("cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>")
    with EXAMPLE.open(encoding="utf-8", newline="") as file:
        deals = [row for row in csv.DictReader(file) if row["shown_utc"]]
    own = [row for row in deals if row["participant_code"] == deals[0]["participant_code"]]
    first, second = own[:2]
    write_events(
        folder,
        event_of(first, 1, -1, "input", type="mouse"),
        event_of(first, 2, 0.1, "blur"),
        event_of(first, 3, 0.6, "focus"),
        event_of(second, 4, 0.1, "hidden"),
        event_of(second, 5, 0.2, "visible"),
        event_of(second, 6, 1, "heartbeat", **BEAT),
    )
    row = quality_of(folder)
    assert (row["left_hands"], row["throttled"], row["several_tabs"]) == ("2", "1", "0")
    assert float(row["left_seconds"]) == pytest.approx(0.6 / len(own), abs=0.001)


def test_replay_has_the_path_of_the_pointer(folder):
    with EXAMPLE.open(encoding="utf-8", newline="") as file:
        first, second = [row for row in csv.DictReader(file) if row["shown_utc"]][:2]
    write_events(
        folder,
        event_of(first, 1, -1, "pointer", hz=5, path="500,500 4 10,0 20,-20"),
        event_of(first, 2, 0.5, "pointer", hz=10, path="0,0 1000,1000"),
        event_of(first, 3, 10_000, "pointer", hz=10, path="0,0 1,1"),
    )
    hands = {}
    for deal in (first, second):
        file = folder / "replay.html"
        assert main(["replay", str(folder), "--hand", deal["hand_id"], "-o", str(file)]) == 0
        data = re.search(r'id="data" type="application/json">(.*?)</script>', file.read_text("utf-8"), re.S)
        (hands[deal["hand_id"]],) = json.loads(data[1])["hands"]
    # Pointer moves 0 and 200 ms after the hand was shown, and those of the second path.
    assert hands[first["hand_id"]]["pointer"] == [
        [0, 510, 500],
        [200, 530, 480],
        [500, 0, 0],
        [600, 1000, 1000],
    ]
    assert "pointer" not in hands[second["hand_id"]]


def test_damaged_table_of_events_names_the_line(folder, capsys):
    with EXAMPLE.open(encoding="utf-8", newline="") as file:
        deal = next(csv.DictReader(file))
    write_events(folder, {**event_of(deal, 1, 0, "blur"), "server_time_utc": "yesterday"})
    with pytest.raises(BadFile, match="must be a time"):
        read_browser_events([folder / "ttt_solo_app_actions.csv"])
    write_events(folder, event_of(deal, 1, 0, "pointer", hz=0, path="1,1"))
    with pytest.raises(BadFile, match="must be a known one"):
        read_browser_events([folder / "ttt_solo_app_actions.csv"])
    assert main(["report", str(folder), "--out", str(folder / "report")]) == 2
    assert f"{NAME}, line 2" in capsys.readouterr().err
    (folder / NAME).write_text((folder / NAME).read_text("utf-8"), "utf-16")
    with pytest.raises(BadFile, match="must be a known one"):
        read_browser_events([folder / "ttt_solo_app_actions.csv"])
    (folder / NAME).write_bytes(b"session_code\n\xff\n")
    with pytest.raises(BadFile, match=r"This file is not text in UTF-8\."):
        read_browser_events([folder / "ttt_solo_app_actions.csv"])
