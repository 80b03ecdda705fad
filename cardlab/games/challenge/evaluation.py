"""Computes the tables of the evaluation function of Challenge, by size of the pack and ``Form.after_better``.

The evaluation is for a leader on an empty table while the opponent has all other cards; ``kernel.evaluate``
reduces every position to such positions. It is the sum of

- the values of the leader's cards. Trumps of either player are valuable, because they beat other cards and
  the opponent cannot use them. Low cards of the other suits are a burden;
- a value for the number of the leader's cards,

both by the *phase* of the game: whether each player holds any own trumps.

``benchmarks/challenge_fit.py`` fitted the weights to a small pack; for larger packs the curves are stretched.
In ``weights_pass.txt`` and ``weights_lead.txt`` each curve is a line, which indented lines continue:

``mine, trump``  the worth of a trump, by rank, the lowest first, if only the leader has own trumps
``both, side``   the worth of another card if both players have own trumps
``theirs, cards``  the value of the number of the leader's cards, from 0, if only the opponent has own trumps
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from cardlab.games.challenge.deal import TRUMPS
from cardlab.games.challenge.packs import bits
from cardlab.games.challenge.variants import FEATURES
from cardlab.games.compiled import Integers, integers

# By number: 1 if the leader has own trumps, plus 2 if the opponent has.
PHASES = ("neither", "mine", "theirs", "both")
KINDS = ("trump", "side", "cards")

Curves = dict[str, tuple[int, ...]]


def read_curves(text: str) -> Curves:
    """Returns the curves of a fit by name."""
    lines = text.strip().replace("\n    ", " ").splitlines()
    return {
        name: tuple(map(int, figures.split())) for name, _colon, figures in (x.partition(":") for x in lines)
    }


FITS = {
    after_better: read_curves(Path(__file__).with_name(f"weights_{after_better}.txt").read_text("utf-8"))
    for after_better in ("pass", "lead")
}


class Tables(NamedTuple):
    """The lookup tables of the kernel, as flat arrays (see ``kernel.Arrays``)."""

    better: Integers
    smeared: Integers
    patterns: Integers
    counts: Integers


def stretch(curve: Sequence[int], length: int) -> list[int]:
    """Interpolates a curve to another number of points, rounded down to integers."""
    last = len(curve) - 1
    points = []
    for number in range(length):
        at, rest = divmod(number * last, length - 1) if length > 1 else (last, 0)
        step = curve[at + 1] - curve[at] if rest else 0
        points.append(curve[at] + (step * rest // (length - 1) if rest else 0))
    return points


@cache
def tables(size: int, after_better: str, dropped: frozenset[str] = frozenset()) -> Tables:
    """Returns the tables of a pack in a form of the game (``Form.after_better``). They are cached."""
    return make_tables(size, FITS[after_better], dropped)


def make_tables(size: int, fit: Curves, dropped: frozenset[str] = frozenset()) -> Tables:
    """Returns the tables of a pack with the weights of a fit. ``FEATURES`` that are dropped count 0."""
    pack = bits(size, TRUMPS)

    def curve(phase: str, kind: str, feature: str, length: int) -> list[int]:
        return [0] * length if feature in dropped else stretch(fit[f"{phase}, {kind}"], length)

    return Tables(
        better=integers([*pack.better[0], pack.all, *pack.better[1], pack.all]),
        smeared=integers((1 << pattern.bit_length()) - 1 for pattern in range(1 << size)),
        patterns=integers(
            worth
            for phase in PHASES
            for kind, feature in zip(("trump", "trump", "side"), FEATURES)
            for worth in pattern_values(curve(phase, kind, feature, size))
        ),
        counts=integers(
            value for phase in PHASES for value in curve(phase, "cards", FEATURES[3], pack.count + 1)
        ),
    )


def pattern_values(values: Sequence[int]) -> list[int]:
    """Returns the value of each set of cards of a suit, by its bit pattern."""
    patterns = [0]
    for value in values:
        patterns += [value + lower for lower in patterns]
    return patterns
