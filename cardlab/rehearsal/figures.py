"""Measurements of a rehearsal: durations by kind, errors, finished participants."""

import math
import time
from collections import Counter
from collections.abc import Sequence
from statistics import mean, median
from typing import Any, NamedTuple

KINDS = {
    "actions": "an action, until the server confirms it",
    "pages": "a page, until it is complete",
    "connections": "a hand's connection, until the board arrives",
    "polls": "a poll of the waiting page",
    "files": "a file of a page",
}


def percentile(values: Sequence[float], hundredth: float) -> float:
    """Returns the percentile ``hundredth`` (0 to 100) of values by the nearest-rank method."""
    sorted_values = sorted(values)
    return sorted_values[max(0, math.ceil(hundredth / 100 * len(sorted_values)) - 1)]


class Finished(NamedTuple):
    """A participant who reached the end.

    ``seconds`` count from the start link; ``thought`` is the simulated thinking time in seconds.
    """

    number: int
    seconds: float
    thought: float
    pages: int
    actions: int


class Acknowledged(NamedTuple):
    """An action that the server confirmed, with the columns of the export of actions."""

    participant_code: str
    hand: int
    action: str


class Figures:
    """Durations in seconds by kind, errors, and finished participants."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.errors: list[str] = []
        self.counts: Counter[str] = Counter()
        self.finished: list[Finished] = []
        self.acknowledged: list[Acknowledged] = []
        self.bytes = 0
        self.began = time.perf_counter()

    def record(self, kind: str, seconds: float) -> None:
        """Adds a duration."""
        self.seconds[kind].append(seconds)

    def percentile_ms(self, kind: str, hundredth: float) -> float:
        """Returns a percentile in milliseconds; 0 without a measurement."""
        return 1000 * percentile(self.seconds[kind], hundredth) if self.seconds[kind] else 0.0

    def as_json(self) -> dict[str, Any]:
        """Returns all figures for JSON: durations by kind in ms, those of participants in seconds."""
        kinds = {
            kind: {
                "count": len(seconds),
                **{f"p{cut}_ms": round(self.percentile_ms(kind, cut), 2) for cut in (50, 95, 99)},
                "most_ms": round(1000 * max(seconds), 2),
            }
            for kind, seconds in self.seconds.items()
            if seconds
        }
        return {
            "seconds": round(time.perf_counter() - self.began, 2),
            "kilobytes": round(self.bytes / 1000),
            "kinds": kinds,
            "counts": dict(self.counts),
            "participants": [finish._asdict() for finish in self.finished],
            "errors": self.errors,
        }

    def table_lines(self) -> list[str]:
        """Returns the table of percentiles for a terminal."""
        rows = [f"    {'':45} {'count':>7} {'p50':>8} {'p95':>8} {'p99':>8} {'most':>8}  ms"]
        for kind, label in KINDS.items():
            if seconds := self.seconds[kind]:
                cuts = [self.percentile_ms(kind, cut) for cut in (50, 95, 99)]
                numbers = " ".join(f"{cut:8.1f}" for cut in [*cuts, 1000 * max(seconds)])
                rows.append(f"    {label:45} {len(seconds):7} {numbers}")
        return rows


def spread(values: Sequence[float]) -> str:
    """Returns a text such as ``mean 12.30, least 8.00, most 15.10``."""
    return f"mean {mean(values):.2f}, least {min(values):.2f}, most {max(values):.2f}"


def duration(seconds: float) -> str:
    """Returns a text such as ``12:05 min``, or seconds below one minute."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02} min"


def times(values: Sequence[float]) -> str:
    """Returns the median and the maximum of durations in seconds as a text."""
    return f"median {duration(median(values))}, slowest {duration(max(values))}"
