"""The static evaluation of a position of Challenge for the mover, as an integer.

It depends on:

- the *phase* of the game: whether each player holds any own trumps. A player who alone has trumps can beat
  anything and needs only to get rid of low cards, a different game from one in which both can beat;
- the cards held, mover's minus other's. If one player has trumps, a card counts by its rank as a trump of
that
  player (``own``), a trump of the other (``other``) or a card of a side suit; otherwise as a ``trump`` of
  either or a card of a side suit;
- the number of cards of each: few are near the end, many give many options, in between is worst;
- whether the top card can be beaten. If not, the position after the pick-up is evaluated.

The weights were fitted by ``benchmarks/challenge_fit.py``, for packs of size 4 and 8. In ``weights_4.txt``
and ``weights_8.txt`` each curve is a line, an indented line continues the one before, and the tables are

``cards``    the value of holding a card, by rank, the lowest first
``leading``  added for a mover who may play any card, by the number of the mover's cards, from 0
``mine``     added for a mover who can beat the top card, by the number of the mover's cards
``theirs``   the same, by the number of the other player's cards
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path

from cardlab.games.challenge.packs import Bits, bits, size_of
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves

Curves = dict[str, tuple[int, ...]]


def _read_fit(file: Path) -> dict[str, Curves]:
    """Returns the tables of a fit, each with its curves by name."""
    fit: dict[str, Curves] = {}
    for line in file.read_text("utf-8").strip().replace("\n    ", " ").splitlines():
        name, _colon, figures = line.partition(":")
        table, _comma, curve = name.partition(", ")
        fit.setdefault(table, {})[curve] = tuple(map(int, figures.split()))
    return fit


FITS = {size: _read_fit(Path(__file__).with_name(f"weights_{size}.txt")) for size in (4, 8)}

# Packs up to size 5 have the fit of size 4, larger ones that of size 8.
SMALL = 5

# A phase is a number: 1 if player 0 has own trumps, plus 2 if player 1 has.
PHASES = range(4)
# The name of each phase in the tables, by the player who moves.
PHASE_NAMES = (("neither", "mine", "theirs", "both"), ("neither", "theirs", "mine", "both"))
# The name of the cards of the columns 0, 1 and 2 or 3 in each phase.
KINDS = (
    ("neither trump", "neither trump", "neither side"),
    ("one own", "one other", "one side"),
    ("one other", "one own", "one side"),
    ("both trump", "both trump", "both side"),
)


def stretch(curve: Sequence[int], length: int) -> list[int]:
    """Interpolates a curve to another number of points, rounded down to integers."""
    last = len(curve) - 1
    points = []
    for number in range(length):
        at, rest = divmod(number * last, length - 1) if length > 1 else (last, 0)
        step = curve[at + 1] - curve[at] if rest else 0
        points.append(curve[at] + (step * rest // (length - 1) if rest else 0))
    return points


class Weights:
    """The evaluation tables of a pack; the curves of the fit are stretched to its size.

    ``card[phase][number]`` is the value of holding a card. ``leading[player][phase][cards]`` is added for a
    mover who may play any card, ``beating[player][phase][cards][others]`` for one who can beat the top card.
    """

    def __init__(self, pack: Bits):
        fit = FITS[4 if pack.size <= SMALL else 8]
        curves = {name: stretch(curve, pack.size) for name, curve in fit["cards"].items()}
        self.card = [
            [curves[KINDS[phase][min(number % 4, 2)]][number // 4] for number in range(pack.count)]
            for phase in PHASES
        ]
        leading, mine, theirs = (
            {phase: stretch(curve, pack.count + 1) for phase, curve in table.items()}
            for table in (fit["leading"], fit["mine"], fit["theirs"])
        )
        self.leading = [[leading[phase] for phase in phases] for phases in PHASE_NAMES]
        self.beating = [
            [[[own + other for other in theirs[phase]] for own in mine[phase]] for phase in phases]
            for phases in PHASE_NAMES
        ]


@cache
def weights(size: int, trumps: tuple[str, str]) -> Weights:
    """Returns the weights of a pack, cached."""
    return Weights(bits(size, trumps))


def evaluate(position: Position) -> int:
    """Returns the value for the mover of a position that is not over."""
    if legal_moves(position) == (PICK_UP,):
        after = apply(position, PICK_UP)
        return evaluate(after) if after.mover == position.mover else -evaluate(after)
    size = size_of(position.cards)
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
