"""Draws artificial response times for simulated participants.

The time for an action is log-normal with the median

    2 s × pace × hand ** -0.3

where ``pace`` belongs to the participant (log-normal with median 1) and ``hand`` is the number of the hand,
a power law of practice. Times depend neither on the strategy nor on the difficulty of the choice, so they say
nothing about the times of people. Transmission takes no time, and robots answer at once, even after a search.
"""

import math
from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache
from random import Random

MEDIAN_MS, PRACTICE = 2000, Decimal("0.3")
SPREAD, SPREAD_OF_PACE = 0.6, 0.25  # standard deviations of logarithms
MIN_MS = 200

_EXACT = Context(prec=12)  # because the last bits of math.log and math.exp may differ between machines


class ResponseTimes:
    """The response times of one participant, drawn by ``chance``."""

    def __init__(self, chance: Random) -> None:
        self._normal = _draw_normals(chance)
        self._pace = SPREAD_OF_PACE * next(self._normal)

    def draw_ms(self, hand: int) -> int:
        """Draws how long an action takes, in milliseconds; ``hand`` is the number of the hand."""
        log_ms = Decimal(self._pace + SPREAD * next(self._normal))
        return max(MIN_MS, int(_EXACT.multiply(_EXACT.exp(log_ms), _median_ms(hand))))


@cache
def _median_ms(hand: int) -> Decimal:
    faster = _EXACT.exp(_EXACT.multiply(-PRACTICE, _EXACT.ln(Decimal(hand))))
    return _EXACT.multiply(MEDIAN_MS, faster)


def _draw_normals(chance: Random) -> Iterator[float]:
    """Yields draws from the standard normal distribution (Marsaglia's polar method)."""
    while True:
        x, y = 2 * chance.random() - 1, 2 * chance.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            scale = math.sqrt(-2 * float(_EXACT.ln(Decimal(square))) / square)
            yield x * scale
            yield y * scale
