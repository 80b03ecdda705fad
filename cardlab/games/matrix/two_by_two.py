"""Analyses 2×2 games: names by the order of the payoffs, best responses, dominance, security, equilibria.

A player's choices are 0 and 1, in the card game left and right. Payoffs are real numbers; higher is better.
The players are ``row`` and ``column``.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from gettext import gettext as _
from itertools import permutations, product
from typing import NamedTuple

from cardlab.games.language import CACHE_SIZE

CHOICES = (0, 1)
OTHER = {"row": "column", "column": "row"}

Payoffs = tuple[tuple[float, float], tuple[float, float]]
Cell = tuple[int, int]  # the row player's choice, the column player's
Interval = tuple[Fraction, Fraction]  # lowest and highest probability of choice 0


@dataclass(frozen=True, slots=True)
class Game:
    """The payoffs of the players: ``row[i][j]`` and ``column[i][j]`` if row chooses i and column j."""

    row: Payoffs
    column: Payoffs


class Classification(NamedTuple):
    """The payoff order of each player from best to worst, ``TRPS``; equal payoffs as in ``TRP=S``."""

    row: str
    column: str

    @property
    def ties(self) -> bool:
        """Whether a player has equal payoffs."""
        return "=" in self.row + self.column


class Dominance(NamedTuple):
    """A dominant choice, which is never worse than the other; ``strict`` if it is always better."""

    choice: int
    strict: bool


class Security(NamedTuple):
    """The payoffs that a player can guarantee.

    ``pure`` is the highest payoff that a pure choice guarantees (maximin), ``minimax`` the lowest to which a
    pure choice of the other can limit the player. ``level`` is the mean payoff that the best mix guarantees,
    which lies between them, and ``first`` the probability of choice 0 in this mix.
    """

    pure: float
    minimax: float
    level: Fraction
    first: Fraction


class Equilibria(NamedTuple):
    """All Nash equilibria of a game, as probabilities of choice 0.

    ``pure`` has the pure equilibria, ``mixed`` the isolated points (row, column) that are not pure, and
    ``continua`` the intervals (row, column) of which every pair is an equilibrium. A pure equilibrium may
    also belong to a continuum.
    """

    pure: tuple[Cell, ...]
    mixed: tuple[tuple[Fraction, Fraction], ...]
    continua: tuple[tuple[Interval, Interval], ...]


def game_from_cells(matrix: Sequence[Sequence[tuple[float, float]]]) -> Game:
    """Returns the game whose ``matrix[i][j]`` is (row player's payoff, column player's)."""
    (a, b), (c, d) = matrix
    return Game(row=((a[0], b[0]), (c[0], d[0])), column=((a[1], b[1]), (c[1], d[1])))


def symmetric(payoffs: Payoffs) -> Game:
    """Returns the symmetric game with the payoffs ``payoffs[own choice][other's choice]``."""
    return Game(payoffs, _transposed(payoffs))


def own_payoffs(game: Game, player: str) -> Payoffs:
    """Returns a player's payoffs by ``[own choice][other's choice]``."""
    return game.row if player == "row" else _transposed(game.column)


def _transposed(payoffs: Payoffs) -> Payoffs:
    (a, b), (c, d) = payoffs
    return (a, c), (b, d)


def order_names(_: Callable[[str], str] = str) -> dict[str, str]:
    """Returns the names of the twelve strict payoff orders (Robinson & Goforth 2005; Bruns 2015)."""
    return {
        "TRPS": _("prisoner's dilemma"),
        "TRSP": _("chicken"),
        "RTPS": _("stag hunt"),
        "RPTS": _("assurance"),
        "RPST": _("coordination"),
        "RSPT": _("peace"),
        "RSTP": _("harmony"),
        "RTSP": _("concord"),
        "TPRS": _("deadlock"),
        "TPSR": _("compromise"),
        "TSPR": _("hero"),
        "TSRP": _("battle of the sexes"),
    }


def classify(game: Game) -> Classification:
    """Returns the payoff orders of the two players.

    A player's C is the choice with the other's best payoff. If both choices have it, C is the one that gives
    the alphabetically first orders, so that the result does not depend on the order of choices and players.
    """
    row, column = own_payoffs(game, "row"), own_payoffs(game, "column")
    readings = [
        (_order(row, row_c, column_c), _order(column, column_c, row_c))
        for row_c in _holding_best(column)
        for column_c in _holding_best(row)
    ]
    return Classification(*min(readings, key=lambda orders: (sorted(orders), orders)))


def _holding_best(others: Payoffs) -> list[int]:
    """Returns the choices of a player that have the other's best payoff."""
    best_payoff = max(map(max, others))
    return [choice for choice in CHOICES if best_payoff in (line[choice] for line in others)]


def _order(own: Payoffs, c: int, others_c: int) -> str:
    cooperate, defect = own[c], own[1 - c]
    payoff = {
        "T": defect[others_c],
        "R": cooperate[others_c],
        "P": defect[1 - others_c],
        "S": cooperate[1 - others_c],
    }
    letters = sorted(payoff, key=lambda letter: -payoff[letter])
    text = letters[0]
    for better, letter in zip(letters, letters[1:]):
        text += f"={letter}" if payoff[letter] == payoff[better] else letter
    return text


def label(kind: Classification, _: Callable[[str], str] = str) -> str:
    """Returns the name of a class of games; ``_`` translates as in :func:`order_names`.

    It is ``chicken`` if both players have its order, else ``chicken / stag hunt`` (row's, then column's). A
    game with ties, one of the 648 that Kilgour and Fraser (1988) add to the 78 strict ones, has no common
    name: ``with ties: TRP=S``, ``with ties: TRP=S / stag hunt``. See also :func:`strict_neighbours`.
    """
    names = order_names(_)
    row, column = (names.get(order, order) for order in kind)
    name = row if row == column else f"{row} / {column}"
    return _("with ties: {orders}").format(orders=name) if kind.ties else name


def strict_neighbours(game: Game) -> tuple[Classification, ...]:
    """Returns the strict games that result from breaking the ties of a game."""
    broken = product(_break_ties(game.row), _break_ties(game.column))
    return tuple(sorted({classify(Game(row, column)) for row, column in broken}))


def _break_ties(payoffs: Payoffs) -> Iterator[Payoffs]:
    """Yields every strict ranking that is consistent with four payoffs."""
    (a, b), (c, d) = payoffs
    for ranks in permutations(range(4), 4):
        by_rank = [payoff for _rank, payoff in sorted(zip(ranks, (a, b, c, d)))]
        if by_rank == sorted(by_rank):
            yield ranks[:2], ranks[2:]


def best_responses(game: Game, player: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Returns the player's best choices (two if equal) against the other's choice 0 and choice 1."""
    against_0, against_1 = _transposed(own_payoffs(game, player))
    return _best(against_0), _best(against_1)


def _best(payoffs: tuple[float, float]) -> tuple[int, ...]:
    """Returns the one or two choices with the best payoff."""
    return tuple(choice for choice in CHOICES if payoffs[choice] == max(payoffs))


def dominant(game: Game, player: str) -> Dominance | None:
    """Returns the player's dominant choice; None if there is none or both are always equal."""
    against = best_responses(game, player)
    for choice in CHOICES:
        if all(choice in best for best in against) and (choice,) in against:
            return Dominance(choice, strict=against == ((choice,), (choice,)))
    return None


def security(own: Payoffs) -> Security:
    """Returns the payoffs that a player with ``own[own choice][other's choice]`` can guarantee.

    The mix is that of the minimax theorem (von Neumann 1928). If no pure choice guarantees the minimax, the
    mix makes the player's mean payoff independent of the other's choice.
    """
    (a, b), (c, d) = (tuple(Fraction(payoff) for payoff in line) for line in own)
    worst_payoffs = [min(line) for line in own]
    pure, minimax = max(worst_payoffs), min(max(column) for column in _transposed(own))
    if pure == minimax:
        surest = max(own, key=lambda line: (min(line), sum(line)))  # of two equal ones, the undominated one
        return Security(pure, minimax, Fraction(pure), Fraction(int(surest == own[0])))
    weight = a - b - c + d
    return Security(pure, minimax, (a * d - b * c) / weight, (d - c) / weight)


@lru_cache(maxsize=CACHE_SIZE)
def equilibria(game: Game) -> Equilibria:
    """Returns all equilibria of a game, exactly.

    A best response can change only if the other plays 0 with probability 0, 1, or the one between that makes
    the player indifferent. The pairs of best responses among these points are all equilibria, except in
    degenerate games, in which a player is indifferent against a pure choice of the other. There they are the
    ends of continua, which :func:`_blocks` combines.
    """
    points = _extreme_points(game)
    blocks = _blocks(points)
    isolated = {block for block in blocks if all(low == high for low, high in block)}
    return Equilibria(
        pure=tuple(sorted((int(1 - p), int(1 - q)) for p, q in points if {p, q} <= {0, 1})),
        mixed=tuple(sorted((p, q) for (p, _p), (q, _q) in isolated if not {p, q} <= {0, 1})),
        continua=tuple(sorted(blocks - isolated)),
    )


def _extreme_points(game: Game) -> set[tuple[Fraction, Fraction]]:
    """Returns the pairs of best responses among the probabilities at which a best response can change."""
    return {
        (p, q)
        for p in _turning_points(own_payoffs(game, "column"))
        for q in _turning_points(own_payoffs(game, "row"))
        if _is_best_response(own_payoffs(game, "row"), p, q)
        and _is_best_response(own_payoffs(game, "column"), q, p)
    }


def _gain(own: Payoffs, others: Fraction) -> Fraction:
    """Returns the gain of choice 0 over choice 1 if the other plays 0 with probability ``others``."""
    (a, b), (c, d) = (tuple(Fraction(payoff) for payoff in line) for line in own)
    return others * (a - c) + (1 - others) * (b - d)


def _turning_points(own: Payoffs) -> set[Fraction]:
    """Returns 0, 1 and the other's probability between them, if any, that makes the player indifferent."""
    at_0, at_1 = _gain(own, Fraction(0)), _gain(own, Fraction(1))
    between = {at_0 / (at_0 - at_1)} if at_0 * at_1 < 0 else set()
    return {Fraction(0), Fraction(1), *between}


def _is_best_response(own: Payoffs, first: Fraction, others: Fraction) -> bool:
    gain = _gain(own, others)
    return gain == 0 or first == (gain > 0)


def _blocks(points: set[tuple[Fraction, Fraction]]) -> set[tuple[Interval, Interval]]:
    """Returns the maximal blocks of equilibria, each (row's interval, column's interval).

    If (p, q) and (p', q) are equilibria, so is every (p'', q) between them, because each mix is still a best
    response. So a maximal set of p that have the same q spans a block.
    """
    answers = {p: {q for row_share, q in points if row_share == p} for p, _q in points}
    blocks = set()
    for some in answers.values():
        for others in answers.values():
            shared = some & others
            rows = [p for p, own in answers.items() if own >= shared]
            if shared:
                blocks.add(((min(rows), max(rows)), (min(shared), max(shared))))
    return blocks


def describe(
    found: Equilibria, players: tuple[str, str] | None = None, choices: tuple[str, str] | None = None
) -> list[str]:
    """Returns a sentence for a participant about each equilibrium: pure, then mixed, then continua.

    ``players`` names row and column, ``choices`` the choices 0 and 1, by default left and right.
    """
    row, column = players or (_("row"), _("column"))
    choices = choices or (_("left"), _("right"))

    def sentence(form: str, rows: Interval, columns: Interval) -> str:
        return form.format(row=_mix(row, rows, choices), column=_mix(column, columns, choices))

    pure, mixed = _("Pure equilibrium: {row}, {column}."), _("Mixed equilibrium: {row}, {column}.")
    continuum = _("A continuum of equilibria: {row}, {column}.")
    return [
        *(sentence(pure, *(_point(Fraction(1 - choice)) for choice in cell)) for cell in found.pure),
        *(sentence(mixed, *map(_point, point)) for point in found.mixed),
        *(sentence(continuum, *block) for block in found.continua),
    ]


def _point(probability: Fraction) -> Interval:
    return probability, probability


def _mix(player: str, interval: Interval, choices: tuple[str, str]) -> str:
    low, high = interval
    if low == high and low in (0, 1):
        return _("{player} {choice}").format(player=player, choice=choices[low == 0])
    if low == 0 and high == 1:
        return _("{player} in any way").format(player=player)
    if low == high:
        form = _("{player} {choice} with probability {low}")
    else:
        form = _("{player} {choice} with any probability from {low} to {high}")
    return form.format(player=player, choice=choices[0], low=low, high=high)


# The source's two examples, in which choice 0 is the cooperative one. In the story of the two suspects (after
# Watzlawick 1976) a payoff is minus the years in prison: half a year each if both are silent, two if both
# confess, none and twenty if one does. Both games are prisoner's dilemmas, TRPS.
TWO_SUSPECTS = symmetric(((-0.5, -20), (0, -2)))
FIVE_AND_EIGHT = symmetric(((5, -5), (8, -3)))
