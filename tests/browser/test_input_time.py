"""Tests in a browser that an action has the time of its input, even while the page is busy."""

from __future__ import annotations

import pytest

BUSY_MS = 400
TRIES = 5
TOLERANCE_MS = 2  # both times are rounded
WATCH = """() => {
    window.presses = [];
    const note = (event) => window.presses.push([event.timeStamp, performance.now() - event.timeStamp]);
    addEventListener("keydown", note, true);
}"""
# The page becomes busy right after the evaluation.
BLOCK = """(ms) => new Promise((begun) => setTimeout(() => {
    begun();
    setTimeout(() => {
        const end = performance.now() + ms;
        while (performance.now() < end);
    });
}))"""


def test_press_on_a_busy_page_keeps_its_time(seat_participant):
    player = seat_participant(check=False).to_the_hand()
    player.expect_live()
    player.page.evaluate(WATCH)
    player.press("c")
    player.expect_moves(1)
    waited = 0.0
    for moves in range(2, 2 + TRIES):  # on a busy machine, the page may be free again before the press
        if waited > BUSY_MS / 4:
            break
        player.page.evaluate(BLOCK, BUSY_MS)
        player.page.keyboard.press("c")
        player.expect_moves(moves)
        waited = player.page.evaluate("presses.at(-1)[1]")
    assert waited > BUSY_MS / 4
    pressed = [at for at, _waited in player.page.evaluate("presses")]
    recorded = [int(row["client_ms"]) for row in player.export() if row["action"] == "C"]
    since_first = [[time - times[0] for time in times] for times in (recorded, pressed)]
    assert since_first[0] == pytest.approx(since_first[1], abs=TOLERANCE_MS)
