"""What is counted and measured while simulated participants play, and how it is told."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from statistics import mean, median
from typing import Any, NamedTuple

KINDS = {
    "actions": "an action, until the server has it",
    "pages": "a page, until it is there",
    "connections": "a hand's connection, until the board is there",
    "polls": "a question of the waiting page",
    "files": "a file of a page",
}


def percentile(values: Sequence[float], hundredth: float) -> float:
    """The least value that so many in a hundred do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(hundredth / 100 * len(ordered)) - 1)]


class Finished(NamedTuple):
    """One participant at the end: seconds from the start link on, those of them that a person would have
    thought and read, and how many pages and actions they were."""

    number: int
    seconds: float
    thought: float
    pages: int
    actions: int


class Figures:
    """Seconds of everything by its kind, what went wrong, and who has finished."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.errors: list[str] = []
        self.counts: Counter[str] = Counter()
        self.finished: list[Finished] = []
        self.bytes = 0
        self.began = time.perf_counter()

    def took(self, kind: str, seconds: float) -> None:
        self.seconds[kind].append(seconds)

    def cut(self, kind: str, hundredth: float) -> float:
        """A percentile in milliseconds, 0 of nothing."""
        return 1000 * percentile(self.seconds[kind], hundredth) if self.seconds[kind] else 0.0

    def since(self, lengths: dict[str, int] | None = None) -> Figures:
        """What was measured since there were so many of each kind (``lengths`` of then), all without them."""
        later = Figures()
        later.seconds = {kind: took[(lengths or {}).get(kind, 0) :] for kind, took in self.seconds.items()}
        return later

    @property
    def lengths(self) -> dict[str, int]:
        """How many there are of each kind."""
        return {kind: len(took) for kind, took in self.seconds.items()}

    def told(self) -> dict[str, Any]:
        """Everything as JSON: milliseconds of the kinds, seconds of the participants."""
        kinds = {
            kind: {
                "count": len(seconds),
                **{f"p{cut}_ms": round(self.cut(kind, cut), 2) for cut in (50, 95, 99)},
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
            "participants": [one._asdict() for one in self.finished],
            "errors": self.errors,
        }

    def lines(self) -> list[str]:
        """The table of the percentiles, for a terminal."""
        rows = [f"    {'':45} {'count':>7} {'p50':>8} {'p95':>8} {'p99':>8} {'most':>8}  ms"]
        for kind, words in KINDS.items():
            if seconds := self.seconds[kind]:
                cuts = [self.cut(kind, cut) for cut in (50, 95, 99)]
                numbers = " ".join(f"{cut:8.1f}" for cut in [*cuts, 1000 * max(seconds)])
                rows.append(f"    {words:45} {len(seconds):7} {numbers}")
        return rows


def spread(values: Sequence[float], unit: str = "") -> str:
    """``mean 12.30, least 8.00, most 15.10``."""
    return ", ".join(
        f"{word} {value:.2f}{unit}"
        for word, value in (("mean", mean(values)), ("least", min(values)), ("most", max(values)))
    )


def duration(seconds: float) -> str:
    """``12:05`` minutes, or seconds below one."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02} min"


def times(values: Sequence[float]) -> str:
    """The time that participants need."""
    return f"median {duration(median(values))}, slowest {duration(max(values))}"
