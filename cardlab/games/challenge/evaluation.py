"""What a position of Challenge is worth to who moves, without looking ahead: whole numbers.

What counts (``weights.py`` has the figures):

- The *phase* of the game: whether each player holds any of their own trumps. Who alone has trumps can beat
  anything and need only get rid of low cards, which is another game than one in which both can beat.
- Which cards are held. A card has a worth for who holds it, by its rank and by what it is: where one player
  has trumps, a trump of that player (``own``), of the other one (``other``), or a card of a side suit; where
  both or neither have, a ``trump`` of either or a card of a side suit. The sum is the mover's less the
  other's.
- How many cards each has: few are near the end, many are many means, and in between is worst.
- Whether the top card can still be beaten. If not, what is judged is the position after the pick-up.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from cardlab.games.challenge.packs import Bits, bits, size_of
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves
from cardlab.games.challenge.weights import FITS

# Packs up to size 5 have the fit of size 4, larger ones that of size 8.
SMALL = 5

# A phase is a number: 1 if player 0 has own trumps, plus 2 if player 1 has.
PHASES = range(4)
# What the phase is called for each player as mover, as the tables have it.
CALLED = (("neither", "mine", "theirs", "both"), ("neither", "theirs", "mine", "both"))
# Whose card of the columns 0, 1 and 2 or 3 it is in each phase.
KINDS = (
    ("neither trump", "neither trump", "neither side"),
    ("one own", "one other", "one side"),
    ("one other", "one own", "one side"),
    ("both trump", "both trump", "both side"),
)


def stretched(curve: Sequence[int], length: int) -> list[int]:
    """The same curve with another number of points, the last one kept; whole numbers, rounded down."""
    last = len(curve) - 1
    points = []
    for number in range(length):
        at, rest = divmod(number * last, length - 1) if length > 1 else (last, 0)
        step = curve[at + 1] - curve[at] if rest else 0
        points.append(curve[at] + (step * rest // (length - 1) if rest else 0))
    return points


class Weights:
    """The evaluation of a pack as tables; the curves of the fit are stretched to its size.

    ``card[phase][number]``: the worth of holding a card. ``leading[player][phase][cards]``: added for a mover
    with so many cards who may play any. ``beating[player][phase][cards][others]``: added for one who can beat
    the top card, by the mover's cards and the other player's.
    """

    def __init__(self, pack: Bits):
        fit = FITS[4 if pack.size <= SMALL else 8]
        curves = {name: stretched(curve, pack.size) for name, curve in fit["cards"].items()}
        self.card = [
            [curves[KINDS[phase][min(number % 4, 2)]][number // 4] for number in range(pack.count)]
            for phase in PHASES
        ]
        leading, mine, theirs = (
            {called: stretched(curve, pack.count + 1) for called, curve in table.items()}
            for table in (fit["leading"], fit["mine"], fit["theirs"])
        )
        self.leading = [[leading[called] for called in calls] for calls in CALLED]
        self.beating = [
            [[[own + other for other in theirs[called]] for own in mine[called]] for called in calls]
            for calls in CALLED
        ]


@cache
def weights(size: int, trumps: tuple[str, str]) -> Weights:
    """The weights of a pack; made once."""
    return Weights(bits(size, trumps))


def judge(position: Position) -> int:
    """What the position is worth to its mover. It is not over, and a mover who leads has a card."""
    if legal_moves(position) == (PICK_UP,):
        after = apply(position, PICK_UP)
        return judge(after) if after.mover == position.mover else -judge(after)
    size = size_of([*position.hands[0], *position.hands[1], *position.table])
    trumps, mover = position.trumps, position.mover
    pack, tables = bits(size, trumps), weights(size, trumps)
    phase = sum(
        1 << player for player in (0, 1) if any(c[-1] == trumps[player] for c in position.hands[player])
    )
    held = [sum(tables.card[phase][pack.number[card]] for card in hand) for hand in position.hands]
    count = [len(hand) for hand in position.hands]
    value = held[mover] - held[1 - mover]
    if position.to_lead:
        return value + tables.leading[mover][phase][count[mover]]
    return value + tables.beating[mover][phase][count[mover]][count[1 - mover]]
