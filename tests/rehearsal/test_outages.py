"""Tests how a simulated visitor counts the time without a connection."""

import pytest

from cardlab.rehearsal import visitor
from cardlab.rehearsal.figures import Figures
from cardlab.rehearsal.visitor import FailingBrowser


@pytest.mark.parametrize(
    ("outages", "since", "seconds"),
    [
        ([], 0, 0),
        ([(10, 20)], 0, 10),
        ([(10, 20)], 15, 5),  # the visitor began to wait during the outage
        ([(10, 20)], 30, 0),
        ([(10, 300), (40, 60), (290, 310)], 0, 300),  # the line failed while the browser was closed
    ],
)
def test_each_second_without_connection_counts_once(monkeypatch, outages, since, seconds):
    browser = FailingBrowser("http://127.0.0.1:1/", Figures(), None, bad_line=False)
    for start, end in sorted(outages, key=lambda outage: outage[1]):
        monkeypatch.setattr(visitor.time, "monotonic", lambda moment=end: moment)
        browser.record_outage(start)
    assert browser.seconds_down(since) == seconds
