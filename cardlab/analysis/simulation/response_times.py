"""Invented response times of simulated participants.

A participant takes for each action a time that is log-normal, with the median

    2 s × pace × hand ** -0.3

where ``pace`` is the participant's own (log-normal with median 1) and ``hand`` is 1, 2 and so on: who has
played more hands is faster, by a power law of practice. It depends neither on the strategy nor on how hard
the choice is, so nothing about people's times can be learned from it. No time is lost between browser and
server, and robots answer at once, those too that search.
"""

import math
from collections.abc import Iterator
from decimal import Context, Decimal
from functools import cache
from random import Random

MEDIAN_MS, PRACTICE = 2000, Decimal("0.3")
SPREAD, SPREAD_OF_PACE = 0.6, 0.25  # standard deviations of logarithms
MIN_MS = 200

_EXACT = Context(prec=12)  # math.log and math.exp may differ from one machine to another in the last bit


class ResponseTimes:
    """The times that one participant takes; ``chance`` draws them."""

    def __init__(self, chance: Random) -> None:
        self._normal = _draw_normals(chance)
        self._pace = SPREAD_OF_PACE * next(self._normal)

    def draw_ms(self, hand: int) -> int:
        """Draws how long an action takes in the participant's first, second … ``hand``, in milliseconds."""
        drawn = Decimal(self._pace + SPREAD * next(self._normal))
        return max(MIN_MS, int(_EXACT.multiply(_EXACT.exp(drawn), _median_ms(hand))))


@cache
def _median_ms(hand: int) -> Decimal:
    faster = _EXACT.exp(_EXACT.multiply(-PRACTICE, _EXACT.ln(Decimal(hand))))
    return _EXACT.multiply(MEDIAN_MS, faster)


def _draw_normals(chance: Random) -> Iterator[float]:
    """Draws from the standard normal distribution (Marsaglia's polar method)."""
    while True:
        x, y = 2 * chance.random() - 1, 2 * chance.random() - 1
        square = x * x + y * y
        if 0 < square < 1:
            scale = math.sqrt(-2 * float(_EXACT.ln(Decimal(square))) / square)
            yield x * scale
            yield y * scale
