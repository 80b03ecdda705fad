"""Target the Two as a participant sees it: the least expected number of moves, and a best move.

What is seen is what ViewCard (all, mix or none) allows: UP and Target always, C and N never, the
keepers' cards as ``board.may_see`` says. A look costs no move, so a best player looks at all that may
be looked at, and ViewCkNk makes no difference. The goal card is known, nothing is forgotten, all
layouts that agree with what was seen are equally likely, and MaxRounds is not taken into account.

A card comes into UP or Target only from the keeper on turn, and is seen there. So what is known is always of
one form: the cards of some places, and of the other places only that each arrangement of the remaining
cards is as likely as another. Without seeing a new card a move leads to one certain belief; seeing one
leaves fewer places unknown, for good. So the beliefs are solved level by level, those with the fewest
unknown places first, each level by Dijkstra's search for shortest paths, exactly.

A move is legal by a belief if the rules allow it whatever the unknown cards are. So T of an unknown card is,
where each card that it can be may enter Target.

With two players, each has a belief, with :func:`view_of` in place of ViewCard. Its value and best moves
assume that the partner has the same knowledge. What the partner really knows, and reveals by moves, is not
considered.

The least number of moves that two can expect who act by what each knows (a decentralised problem) is not
computed. It lies between the exact values of two simpler problems: what one mind expects that sees all that
either sees (``UNION``), a lower bound; and what one expects that sees only what both see together
(:func:`common_view`), an upper bound, because two can always play as it does.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations, count, permutations
from typing import Any, NamedTuple

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board
from cardlab.games.ttt.solver import LAYOUTS, Exchanges, distances, position

VIEWS = ("all", "mix", "none")
_MIX = "mix "  # before the name of what is seen until the first exchange of the hand; then all is
_SEEN_BY_ONE_OF_TWO = (*board.KEEPERS, "common")
_ALL_VIEWS = (*VIEWS, *_SEEN_BY_ONE_OF_TWO, *(_MIX + name for name in _SEEN_BY_ONE_OF_TWO))

# What one mind sees that sees what either of two sees, whatever ViewCard is. (Two who have to look at the
# cards can look in their own turns alone, so they know still less.)
UNION = "all"
_COMMON = {"all": "all", "mix": "mix common", "none": "common"}  # by ViewCard

_UP = board.PLACES.index("UP")

# Expected moves are counted in whole parts of a move, which are quicker than fractions and as exact. Each of
# the k! arrangements of k unknown cards is equally likely, so what is expected has a denominator of k! or a
# divisor of it; and UP and Target are always known, so k is 4 at most.
_PARTS = 24


class Belief(NamedTuple):
    """What is known when a keeper is to move and all that may be seen has been seen.

    ``layout`` has None for an unknown card; ``turn`` is the keeper to move; ``view_card`` is the
    ViewCard in force, where ``mix`` has become ``all`` with the first exchange of the hand; or where two play
    what :func:`view_of` says.
    """

    layout: tuple[str | None, ...]
    turn: str
    view_card: str


Steps = dict[Belief, dict[str, list[Belief]]]  # for each legal move the beliefs that are equally likely


def view_of(view_card: str, seat: str) -> str:
    """Returns what a seat sees under ViewCard, as in ``Belief.view_card``.

    A participant who moves both keepers sees what ViewCard says. One of two has ``ck`` or ``nk`` where only
    their own card is seen, and ``mix ck`` or ``mix nk`` where ViewCard is ``mix``.
    """
    if seat not in board.KEEPERS or view_card == "all":
        return view_card
    return _MIX + seat if view_card == "mix" else seat


def looks_of(options: Mapping[str, Any], seat: str) -> str | None:
    """Returns the seat if it must look at the keepers' cards (ViewCkNk), each in its own turns.

    Otherwise returns None. It is the ``looks`` of :func:`played`.
    """
    return None if seat not in board.KEEPERS or options.get("ViewCkNk") else seat


def common_view(options: Mapping[str, Any]) -> str:
    """Returns what two players see together, as in ``Belief.view_card``.

    So it is common knowledge: all moves, UP and Target, and a keeper's card while it lies face up for both. A
    look is secret, so with ViewCkNk FALSE no keeper's card is, nor is a card that each sees in another turn.
    """
    return _COMMON[options["ViewCard"]] if options.get("ViewCkNk") else "common"


def expected_moves(layout: board.Layout, goal: str, first: str, view_card: str) -> Fraction:
    """Returns the least expected number of moves, passes counted, as it is when the hand has been dealt.

    It is the same for all layouts that look alike then, so it may be less than the least number of moves
    of this one; 0 if the goal lies in Target. ``layout`` is six cards in linear order, ``first`` the
    keeper to move. Raises ValueError for an impossible layout, goal, keeper or ViewCard.
    """
    return value(dealt(layout, first, view_card), goal)


def moves_lost(
    layout: board.Layout,
    goal: str,
    first: str,
    view_card: str,
    sequence: str,
    keeper: str | None = None,
    no_choices: Collection[int] = (),
    looks: str | None = None,
) -> Fraction:
    """How many moves the choices of ``sequence`` have cost, in expectation; 0 for best play, finished or not.

    Each move costs by how much it makes the least expected number of moves greater than a best move would
    have. So it is free of luck: who found a card where it was unlikely to lie has lost nothing by that, and
    gained nothing. With ``keeper`` only the moves of that one count, where two play: the other's are no
    choices of who sees by ``view_card``; nor are those of the numbers ``no_choices``, from 1, which the
    server made. ``looks`` is as in :func:`played`: then only that keeper's moves cost anything. ``layout`` is
    as it was dealt. Raises ValueError, also for moves that the rules refuse.
    """
    moment, costs = _moment(layout, dealt(layout, first, view_card, looks), goal, looks), []
    for move in sequence:
        cost, moment = moment[move]
        costs.append(cost)
    if no_choices:
        costs = [0 if number in no_choices else cost for number, cost in enumerate(costs, 1)]
    own = costs if keeper is None else costs[int(keeper != first) :: 2]  # the keepers take turns
    return Fraction(sum(own), _PARTS)


class _Moment(dict[str, "tuple[int, _Moment]"]):
    """What each move from here costs, in parts of a move, and where it leads; found when it is asked for."""

    def __init__(self, layout: board.Layout, belief: Belief, goal: str, looks: str | None):
        self._layout, self._belief, self._goal, self._looks = layout, belief, goal, looks

    def __missing__(self, move: str) -> tuple[int, _Moment]:
        layout, belief, goal = self._layout, self._belief, self._goal
        if not _can_be_played(layout, belief.turn, move):
            raise ValueError(f"The move {move} cannot be played on {' '.join(layout)}.")
        cost = 0
        if self._looks in (None, belief.turn):
            values = _values(goal, belief.view_card, None)
            cost = _PARTS + _mean(values, _sights(moved(belief, move))) - values[belief]
        layout = board.layout_after(layout, belief.turn, move)
        later = seen(moved(belief, move), layout, self._looks)
        self[move] = cost, _moment(layout, later, goal, self._looks)
        return self[move]


_moment = cache(_Moment)  # a goal has some ten thousands


def value(belief: Belief, goal: str, into_target: Exchanges | None = None) -> Fraction:
    """Returns the least expected number of moves from here on.

    ``into_target``, if given, holds the only exchanges with Target that may be used. ValueError if
    they lead nowhere, or if a card is unknown that may be seen.
    """
    values = _values(goal, belief.view_card, into_target)
    if belief not in values:
        raise ValueError(f"There is no way to {goal} from {belief}.")
    return Fraction(values[belief], _PARTS)


def value_after(belief: Belief, goal: str, expected: Fraction) -> Fraction:
    """Returns the least expected number of moves after a move.

    Where one of two has still to look at a card that may be seen, it is ``expected``, the number before the
    look.
    """
    known = _values(goal, belief.view_card, None).get(belief)
    return expected if known is None else Fraction(known, _PARTS)


def cost(belief: Belief, goal: str, move: str) -> Fraction:
    """Returns by how much a legal move increases the least expected number of moves over the best move."""
    values = _values(goal, belief.view_card, None)
    return Fraction(_PARTS + _mean(values, _outcomes(belief)[move]) - values[belief], _PARTS)


@lru_cache(maxsize=100_000)  # simulations come to the same few beliefs over and over
def best_move(belief: Belief, goal: str, into_target: Exchanges | None = None) -> str:
    """Returns a move that makes the expected number of moves least; among equals the first of U C N T P.

    Each such move makes progress, so that a hand always ends. ValueError as :func:`value`, and if the
    goal lies in Target already.
    """
    if not value(belief, goal, into_target):
        raise ValueError(f"The goal {goal} lies in Target already.")
    values = _values(goal, belief.view_card, into_target)
    worth = {
        move: _mean(values, after)
        for move, after in _outcomes(belief).items()
        if _may_use(belief, move, into_target) and all(one in values for one in after)
    }
    return min(worth, key=lambda move: worth[move])


def dealt(layout: board.Layout, first: str, view_card: str, looks: str | None = None) -> Belief:
    """What is known of a layout when it has been dealt; ``looks`` as in :func:`played`. Raises ValueError."""
    position(layout, first)  # refuses what is no layout and no keeper
    if view_card not in _ALL_VIEWS:
        raise ValueError(f"ViewCard must be all, mix or none, not '{view_card}'.")
    return seen(Belief((None,) * len(board.PLACES), first, view_card), layout, looks)


def known(state: board.State, seat: str) -> Belief:
    """Returns what the seat knows by now if it has looked at all that it may look at and forgot nothing.

    Where two have to look at the cards, each can do so only in their own turns.
    """
    looks = looks_of(state.options, seat)
    return played(*board.dealt_as(state), view_of(state.options["ViewCard"], seat), state.sequence, looks)


@lru_cache(maxsize=8192)  # asked for again before each move
def played(
    layout: board.Layout, first: str, view_card: str, sequence: str, looks: str | None = None
) -> Belief:
    """Returns what is known of a layout when the moves of ``sequence`` have been made: the fold over them.

    ``layout`` is as it was dealt. ``looks`` is the keeper in whose turns alone the keepers' cards are seen;
    without, they are in all turns. Raises ValueError, also for moves that the rules refuse.
    """
    belief = dealt(layout, first, view_card, looks)
    for move in sequence:
        if not _can_be_played(layout, belief.turn, move):
            raise ValueError(f"The moves {sequence} cannot be played on {' '.join(layout)}.")
        layout = board.layout_after(layout, belief.turn, move)
        belief = seen(moved(belief, move), layout, looks)
    return belief


def moved(belief: Belief, move: str) -> Belief:
    """Returns what is known after a legal move, before the other keeper has seen anything new."""
    view_card = "all" if belief.view_card.startswith("mix") and move != "P" else belief.view_card
    return Belief(board.layout_after(belief.layout, belief.turn, move), board.other(belief.turn), view_card)


def seen(belief: Belief, layout: Sequence[str | None], looks: str | None = None) -> Belief:
    """Returns what is known once all that may be seen has been seen.

    ``layout`` is read only where it may be seen; ``looks`` is as in :func:`played`.
    """
    cards = list(belief.layout)
    in_sight = _in_sight(belief.turn, belief.view_card)
    for place in in_sight if looks in (None, belief.turn) else (_UP, board.TARGET):
        cards[place] = layout[place]
    if cards.count(None) == 1:
        cards[cards.index(None)] = _unknown_cards(cards)[0]
    return belief._replace(layout=tuple(cards))


@cache
def _in_sight(turn: str, view_card: str) -> tuple[int, ...]:
    sight = view_card.removeprefix(_MIX)
    keepers: tuple[str, ...] = (sight if sight in board.KEEPERS else turn,)
    if sight in ("all", "common"):
        keepers = board.KEEPERS if sight == "all" else ()
    return (_UP, board.TARGET, *(board.KEEPER_PLACE[keeper] for keeper in keepers))


def _unknown_cards(cards: Sequence[str | None]) -> list[str]:
    return [card for card in TTT_PACK if card not in cards]


def _outcomes(belief: Belief) -> dict[str, list[Belief]]:
    """Returns for each legal move the beliefs that it may lead to, all equally likely."""
    return {move: _sights(moved(belief, move)) for move in board.MOVES if _is_legal(belief, move)}


def _is_legal(belief: Belief, move: str) -> bool:
    """Whether the rules allow a move whatever the unknown cards are."""
    if move != "T":
        return move in board.MOVES
    own, target = belief.layout[board.KEEPER_PLACE[belief.turn]], belief.layout[board.TARGET]
    cards = _unknown_cards(belief.layout) if own is None else [own]
    return target is not None and all(board.fits_target(card, target, belief.turn) for card in cards)


def _can_be_played(layout: board.Layout, turn: str, move: str) -> bool:
    """Whether the rules allow a move, whoever knows it."""
    return move in board.MOVES and (move != "T" or board.may_enter_target(layout, turn))


def _sights(belief: Belief) -> list[Belief]:
    """Returns the beliefs that seeing all that may be seen leads to, all equally likely."""
    new = [place for place in _in_sight(belief.turn, belief.view_card) if belief.layout[place] is None]
    sights = []
    for cards in permutations(_unknown_cards(belief.layout), len(new)):
        layout = list(belief.layout)
        for place, card in zip(new, cards):
            layout[place] = card
        sights.append(seen(belief, layout))
    return sights


@cache
def _levels(view_card: str) -> tuple[Steps, ...]:
    """Returns the beliefs with two unknown places, with three, and so on, and where each move leads.

    They are the same for every goal.
    """
    sizes = range(2, 1 + max(len(board.PLACES) - len(_in_sight(turn, view_card)) for turn in board.KEEPERS))
    levels: list[Steps] = [{} for _size in sizes]
    for turn in board.KEEPERS:
        hidden = set(range(len(board.PLACES))).difference(_in_sight(turn, view_card))
        for steps, size in zip(levels, sizes):
            for unknown in combinations(sorted(hidden), size):
                for cards in permutations(TTT_PACK, len(board.PLACES) - size):
                    known = iter(cards)
                    layout = tuple(
                        None if place in unknown else next(known) for place in range(len(board.PLACES))
                    )
                    belief = Belief(layout, turn, view_card)
                    steps[belief] = _outcomes(belief)
    return tuple(levels)


@cache
def _values(goal: str, view_card: str, into_target: Exchanges | None) -> dict[Belief, int]:
    """Returns the least expected moves, in parts of a move, of each belief that can reach the goal."""
    values = dict(_values(goal, "all", into_target)) if view_card.startswith("mix") else {}
    away = distances(goal, into_target)
    for layout in LAYOUTS:
        for turn in board.KEEPERS:
            moves = away[position(layout, turn)]
            if moves is not None:
                values[Belief(layout, turn, view_card)] = _PARTS * moves
    for steps in _levels(view_card):
        _settle(steps, values, goal, into_target)
    return values


def _settle(steps: Steps, values: dict[Belief, int], goal: str, into_target: Exchanges | None) -> None:
    """Adds the values of one level's beliefs, nearest to the goal first (Dijkstra's algorithm).

    The beliefs of other levels to which they lead must have their values already.
    """
    before: dict[Belief, list[Belief]] = defaultdict(list)
    order = count()  # beliefs themselves cannot be compared
    waiting = [(0, next(order), belief) for belief in steps if belief.layout[board.TARGET] == goal]
    for belief, after in _usable_moves(steps, into_target):
        if after[0] in steps:  # nothing new was seen, so this is the one outcome
            before[after[0]].append(belief)
        elif all(one in values for one in after):
            waiting.append((_PARTS + _mean(values, after), next(order), belief))
    heapq.heapify(waiting)
    while waiting:
        moves_left, _, belief = heapq.heappop(waiting)
        if belief in values:
            continue
        values[belief] = moves_left
        for earlier in before[belief]:
            if earlier not in values:
                heapq.heappush(waiting, (_PARTS + moves_left, next(order), earlier))


def _usable_moves(steps: Steps, into_target: Exchanges | None) -> Iterator[tuple[Belief, Sequence[Belief]]]:
    """Yields each belief with the outcomes of each of its moves that may be used."""
    for belief, moves in steps.items():
        for move, after in moves.items():
            if _may_use(belief, move, into_target):
                yield belief, after


def _mean(values: dict[Belief, int], beliefs: Sequence[Belief]) -> int:
    """In parts of a move, of which it is a whole number."""
    return sum([values[belief] for belief in beliefs]) // len(beliefs)


def _may_use(belief: Belief, move: str, into_target: Exchanges | None) -> bool:
    if move != "T" or into_target is None:
        return True
    return (belief.layout[board.TARGET], belief.layout[board.KEEPER_PLACE[belief.turn]]) in into_target
