"""Tests the order of rows on the Progress tab: participants who need help come first."""

from random import Random

import without_database  # noqa: F401

from cardlab.admin.monitor_rows import (
    INACTIVE_SECONDS,
    STUCK_REFUSALS,
    HelpRequest,
    Row,
    sort_by_urgency,
    urgency,
)

CALM = Row(
    *("code", 1, "PC-1", "", "", "app: Hand", "1 of 3", 4, 0, "0", "0", 5, "here"),
    *(False, False, "playing", True, 0, []),
)

ASKS = HelpRequest(7, 20, "What is ck?")

# From most to least urgent; rows of equal urgency are sorted by number.
IN_ORDER = [
    [{"help": ASKS}, {"help": ASKS, "stage": "finished"}, {"help": ASKS, "connection": "gone"}],
    [
        {"others_wait": True, "connection": "gone"},
        {"others_wait": True, "connection": "away", "paused": True},
    ],
    [{"notices": ["Hand 3 cannot be read."], "connection": "gone"}],
    [{"connection": "gone", "refused": 99, "silent": 9999}],
    [{"refused": STUCK_REFUSALS, "silent": 9999, "connection": "away"}],
    [{"silent": INACTIVE_SECONDS}, {"silent": INACTIVE_SECONDS, "connection": "away"}],
    [{"connection": "away"}],
    [{}, {"others_wait": True}, {"silent": None}, {"silent": 9999, "paused": True}, {"unread": 2}],
    [
        {"stage": "finished", "connection": "gone"},
        {"stage": "dropped out", "connection": "gone", "others_wait": True},
        {"stage": "not come", "connection": "gone"},
    ],
]


def test_rows_are_sorted_by_urgency_then_number():
    rows, number = [], 0
    for needs in IN_ORDER:
        for changes in needs:
            number += 1
            rows.append(CALM._replace(number=number, **changes))
    for seed in range(20):
        mixed = Random(seed).sample(rows, len(rows))
        assert [row.number for row in sort_by_urgency(mixed)] == [*range(1, number + 1)]
    assert [len({urgency(CALM._replace(**each)) for each in line}) for line in IN_ORDER] == [1] * len(
        IN_ORDER
    )
