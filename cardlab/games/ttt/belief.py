"""Computes the least expected number of moves and a best move under the information of a participant.

The visible cards follow from ViewCard (all, mix or none): UP and Target always, C and N never, the keepers'
cards by ``board.may_see``. A look costs no move, so a best player looks at all visible cards, and ViewCkNk
makes no difference. The goal card is known, memory is perfect, all layouts consistent with the seen cards are
equally likely, and MaxRounds is ignored.

A card enters UP or Target only from the keeper on turn, and is visible there. So a belief always has the same
form: the cards of some places are known, and all arrangements of the remaining cards are equally likely. A
move that reveals no card leads to one certain belief. A revealed card reduces the number of unknown places
for good. So the beliefs are solved exactly, level by level, those with the fewest unknown places first, each
level by Dijkstra's algorithm.

A move is legal in a belief if the rules allow it for all possible unknown cards. So T with an unknown card is
legal if each card that it can be may enter Target.

Each of two players has a belief, with :func:`view_of` instead of ViewCard. Its value and best moves assume
that the partner has the same knowledge, and ignore the partner's real knowledge and what moves reveal of it.

The least expected number of moves of two players with different knowledge (a decentralised problem) is not
computed. It lies between the exact values of two simpler problems: one player who sees what either sees
(``UNION``), a lower bound; and one player who sees only what both see (:func:`common_view`), an upper bound,
because two players can always play like this one.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property, lru_cache
from itertools import combinations, count, permutations
from typing import Any, NamedTuple

from cardlab.games.cards import TTT_PACK
from cardlab.games.ttt import board
from cardlab.games.ttt.solver import LAYOUTS, Exchanges, distances, position

VIEWS = ("all", "mix", "none")
_MIX = "mix "  # prefix of a sight that becomes ``all`` with the first exchange of the hand
_SEEN_BY_ONE_OF_TWO = (*board.KEEPERS, "common")
_ALL_VIEWS = (*VIEWS, *_SEEN_BY_ONE_OF_TWO, *(_MIX + name for name in _SEEN_BY_ONE_OF_TWO))

# The sight of one player who sees what either of two sees, for every ViewCard. (Two players who must look at
# cards can look only in their own turns, so they know even less.)
UNION = "all"
_COMMON = {"all": "all", "mix": "mix common", "none": "common"}  # by ViewCard

_UP = board.PLACES.index("UP")

# Expected moves are integers in units of 1/24 move, which are faster than fractions and just as exact: the k!
# arrangements of k unknown cards are equally likely, so the denominator divides k!, and k is at most 4
# because UP and Target are always known.
_PARTS = 24


class Belief(NamedTuple):
    """The knowledge of a player when a keeper is to move, after looking at all visible cards.

    ``layout`` has None for an unknown card; ``turn`` is the keeper to move; ``view_card`` is the current
    sight, ViewCard or for two players :func:`view_of`, in which ``mix`` becomes ``all`` with the first
    exchange.
    """

    layout: tuple[str | None, ...]
    turn: str
    view_card: str


Steps = dict[Belief, dict[str, list[Belief]]]  # belief → legal move → the equally likely beliefs after it


def view_of(view_card: str, seat: str) -> str:
    """Returns the sight of a seat under ViewCard, as in ``Belief.view_card``.

    For a participant who moves both keepers it is ViewCard. For a seat of two it is ``ck`` or ``nk`` if only
    its own card is visible, and ``mix ck`` or ``mix nk`` if ViewCard is ``mix``.
    """
    if seat not in board.KEEPERS or view_card == "all":
        return view_card
    return _MIX + seat if view_card == "mix" else seat


def looks_of(options: Mapping[str, Any], seat: str) -> str | None:
    """Returns the seat if it must look at the keepers' cards in its own turns (ViewCkNk), else None.

    It is the parameter ``looks`` of :func:`after_moves`.
    """
    return None if seat not in board.KEEPERS or options.get("ViewCkNk") else seat


def common_view(options: Mapping[str, Any]) -> str:
    """Returns the common sight of two players, as in ``Belief.view_card``.

    Common knowledge is all moves, UP and Target, and a keeper's card while it is face up for both. Looks are
    secret, so with ViewCkNk FALSE no keeper's card belongs to it, nor does a card that the players see in
    different turns.
    """
    return _COMMON[options["ViewCard"]] if options.get("ViewCkNk") else "common"


def expected_moves(layout: board.Layout, goal: str, first: str, view_card: str) -> Fraction:
    """Returns the least expected number of moves, including passes, after the deal.

    It is a mean over all layouts that look the same, so it may be less than the least number of moves of this
    layout. It is 0 if the goal is in Target. ``layout`` has six cards in linear order, ``first`` moves first.
    Raises ValueError for an invalid layout, goal, keeper or ViewCard.
    """
    return value(after_deal(layout, first, view_card), goal)


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
    """Returns the expected number of moves lost by the choices of ``sequence``; 0 for best play.

    The cost of a move is the increase of the least expected number of moves compared with a best move. So it
    is independent of luck in finding cards.

    Parameters:
        layout: the dealt layout.
        goal: the goal card.
        first: the keeper to move first.
        view_card: the sight (``Belief.view_card``).
        sequence: the moves, finished or not.
        keeper: counts only the moves of this keeper, for a player of two.
        no_choices: the numbers, from 1, of the moves by the server, which are not counted.
        looks: as in :func:`after_moves`; only the moves of this keeper cost anything.

    Raises:
        ValueError: for an invalid argument or an illegal move.
    """
    moment, costs = first_moment(layout, goal, first, view_card, looks), []
    for move in sequence:
        cost, moment = moment[move]
        costs.append(cost)
    if no_choices:
        costs = [0 if number in no_choices else cost for number, cost in enumerate(costs, 1)]
    own_costs = costs if keeper is None else costs[int(keeper != first) :: 2]  # the keepers take turns
    return Fraction(sum(own_costs), _PARTS)


class Moment(dict[str, "tuple[int, Moment]"]):
    """A lazy tree: for each move its cost, in 1/24 of a move, and the moment after it."""

    def __init__(self, layout: board.Layout, belief: Belief, goal: str, looks: str | None):
        self._layout, self._belief, self._goal, self._looks = layout, belief, goal, looks

    def __missing__(self, move: str) -> tuple[int, Moment]:
        layout, belief, goal = self._layout, self._belief, self._goal
        if not _can_be_played(layout, belief.turn, move):
            raise ValueError(f"The move {move} cannot be played on {' '.join(layout)}.")
        cost = 0
        if self._looks in (None, belief.turn):
            values = _values(goal, belief.view_card, None)
            cost = _PARTS + _mean(values, _sights(after_move(belief, move))) - values[belief]
        layout = board.layout_after(layout, belief.turn, move)
        later = after_looking(after_move(belief, move), layout, self._looks)
        self[move] = cost, _moment(layout, later, goal, self._looks)
        return self[move]

    @cached_property
    def costs(self) -> dict[str, float]:
        """The expected moves that each possible move loses; empty if the goal is in Target."""
        if self._layout[board.TARGET] == self._goal:
            return {}
        possible = [move for move in board.MOVES if _can_be_played(self._layout, self._belief.turn, move)]
        return {move: self[move][0] / _PARTS for move in possible}


_moment = cache(Moment)  # some ten thousand per goal


def first_moment(
    layout: board.Layout, goal: str, first: str, view_card: str, looks: str | None = None
) -> Moment:
    """Returns the moment after the deal, from which all moves of the hand follow.

    ``looks`` is as in :func:`after_moves`. Raises ValueError for an invalid argument.
    """
    return _moment(layout, after_deal(layout, first, view_card, looks), goal, looks)


def value(belief: Belief, goal: str, into_target: Exchanges | None = None) -> Fraction:
    """Returns the least expected number of moves from a belief on.

    ``into_target`` restricts the exchanges with Target. Raises ValueError if the goal cannot be reached with
    them, or if a visible card is unknown in the belief.
    """
    values = _values(goal, belief.view_card, into_target)
    if belief not in values:
        raise ValueError(f"There is no way to {goal} from {belief}.")
    return Fraction(values[belief], _PARTS)


def value_after(belief: Belief, goal: str, expected: Fraction) -> Fraction:
    """Returns the least expected number of moves after a move.

    It is ``expected``, the number before a look, if a player of two has not yet looked at a visible card.
    """
    known_value = _values(goal, belief.view_card, None).get(belief)
    return expected if known_value is None else Fraction(known_value, _PARTS)


def cost(belief: Belief, goal: str, move: str) -> Fraction:
    """Returns the increase of the least expected number of moves by a legal move over the best move."""
    values = _values(goal, belief.view_card, None)
    return Fraction(_PARTS + _mean(values, _outcomes(belief)[move]) - values[belief], _PARTS)


@lru_cache(maxsize=100_000)  # simulations reach the same few beliefs again and again
def best_move(belief: Belief, goal: str, into_target: Exchanges | None = None) -> str:
    """Returns the move that minimizes the expected number of moves; among equals the first of U C N T P.

    Each such move makes progress, so a hand always ends. Raises ValueError like :func:`value`, and if the
    goal is already in Target.
    """
    if not value(belief, goal, into_target):
        raise ValueError(f"The goal {goal} lies in Target already.")
    values = _values(goal, belief.view_card, into_target)
    worth = {
        move: _mean(values, beliefs_after)
        for move, beliefs_after in _outcomes(belief).items()
        if _may_use(belief, move, into_target)
        and all(belief_after in values for belief_after in beliefs_after)
    }
    return min(worth, key=lambda move: worth[move])


def after_deal(layout: board.Layout, first: str, view_card: str, looks: str | None = None) -> Belief:
    """Returns the belief after the deal; ``looks`` is as in :func:`after_moves`. Raises ValueError."""
    position(layout, first)  # raises ValueError for an invalid layout or keeper
    if view_card not in _ALL_VIEWS:
        raise ValueError(f"ViewCard must be all, mix or none, not '{view_card}'.")
    return after_looking(Belief((None,) * len(board.PLACES), first, view_card), layout, looks)


def belief_of(state: board.State, seat: str) -> Belief:
    """Returns the belief of a seat with perfect memory that has looked at all visible cards.

    If two players have to look at cards, each can do so only in that player's turns.
    """
    looks = looks_of(state.options, seat)
    view_card = view_of(state.options["ViewCard"], seat)
    return after_moves(*board.initial_layout(state), view_card, state.sequence, looks)


@lru_cache(maxsize=8192)  # needed several times before each move
def after_moves(
    layout: board.Layout, first: str, view_card: str, sequence: str, looks: str | None = None
) -> Belief:
    """Returns the belief after the moves of ``sequence``.

    ``layout`` is the dealt layout. ``looks`` is a keeper if keepers' cards are seen only in that keeper's
    turns; None if they are seen in all turns. Raises ValueError, also for illegal moves.
    """
    belief = after_deal(layout, first, view_card, looks)
    for move in sequence:
        if not _can_be_played(layout, belief.turn, move):
            raise ValueError(f"The moves {sequence} cannot be played on {' '.join(layout)}.")
        layout = board.layout_after(layout, belief.turn, move)
        belief = after_looking(after_move(belief, move), layout, looks)
    return belief


def after_move(belief: Belief, move: str) -> Belief:
    """Returns the belief after a legal move, before new cards are seen."""
    view_card = "all" if belief.view_card.startswith("mix") and move != "P" else belief.view_card
    return Belief(board.layout_after(belief.layout, belief.turn, move), board.other(belief.turn), view_card)


def after_looking(belief: Belief, layout: Sequence[str | None], looks: str | None = None) -> Belief:
    """Returns the belief after all visible cards have been seen.

    Only the visible places of ``layout`` are read; ``looks`` is as in :func:`after_moves`.
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
    """Returns for each legal move the equally likely beliefs after it."""
    return {move: _sights(after_move(belief, move)) for move in board.MOVES if _is_legal(belief, move)}


def _is_legal(belief: Belief, move: str) -> bool:
    """Returns whether the rules allow a move for all possible unknown cards."""
    if move != "T":
        return move in board.MOVES
    own_card, target_card = belief.layout[board.KEEPER_PLACE[belief.turn]], belief.layout[board.TARGET]
    cards = _unknown_cards(belief.layout) if own_card is None else [own_card]
    return target_card is not None and all(
        board.fits_target(card, target_card, belief.turn) for card in cards
    )


def _can_be_played(layout: board.Layout, turn: str, move: str) -> bool:
    """Returns whether the rules allow a move, known to be legal or not."""
    return move in board.MOVES and (move != "T" or board.may_enter_target(layout, turn))


def _sights(belief: Belief) -> list[Belief]:
    """Returns the equally likely beliefs after all visible cards have been seen."""
    new_places = [place for place in _in_sight(belief.turn, belief.view_card) if belief.layout[place] is None]
    sights = []
    for cards in permutations(_unknown_cards(belief.layout), len(new_places)):
        layout = list(belief.layout)
        for place, card in zip(new_places, cards):
            layout[place] = card
        sights.append(after_looking(belief, layout))
    return sights


@cache
def _levels(view_card: str) -> tuple[Steps, ...]:
    """Returns the beliefs with two, three and more unknown places, with the outcomes of their moves.

    They are the same for every goal.
    """
    sizes = range(2, 1 + max(len(board.PLACES) - len(_in_sight(turn, view_card)) for turn in board.KEEPERS))
    levels: list[Steps] = [{} for _size in sizes]
    for turn in board.KEEPERS:
        hidden = set(range(len(board.PLACES))).difference(_in_sight(turn, view_card))
        for steps, size in zip(levels, sizes):
            for unknown in combinations(sorted(hidden), size):
                for cards in permutations(TTT_PACK, len(board.PLACES) - size):
                    known_cards = iter(cards)
                    layout = tuple(
                        None if place in unknown else next(known_cards) for place in range(len(board.PLACES))
                    )
                    belief = Belief(layout, turn, view_card)
                    steps[belief] = _outcomes(belief)
    return tuple(levels)


@cache
def _values(goal: str, view_card: str, into_target: Exchanges | None) -> dict[Belief, int]:
    """Returns the least expected moves, in 1/24 of a move, of each belief that can reach the goal."""
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
    """Adds the values of the beliefs of a level, nearest to the goal first (Dijkstra's algorithm).

    Beliefs of other levels that they lead to must already have values.
    """
    beliefs_before: dict[Belief, list[Belief]] = defaultdict(list)
    order = count()  # breaks ties, because beliefs cannot be compared
    queue = [(0, next(order), belief) for belief in steps if belief.layout[board.TARGET] == goal]
    for belief, beliefs_after in _usable_moves(steps, into_target):
        if beliefs_after[0] in steps:  # no new card is seen, so this is the only outcome
            beliefs_before[beliefs_after[0]].append(belief)
        elif all(belief_after in values for belief_after in beliefs_after):
            queue.append((_PARTS + _mean(values, beliefs_after), next(order), belief))
    heapq.heapify(queue)
    while queue:
        moves_left, _, belief = heapq.heappop(queue)
        if belief in values:
            continue
        values[belief] = moves_left
        for earlier in beliefs_before[belief]:
            if earlier not in values:
                heapq.heappush(queue, (_PARTS + moves_left, next(order), earlier))


def _usable_moves(steps: Steps, into_target: Exchanges | None) -> Iterator[tuple[Belief, Sequence[Belief]]]:
    """Yields each belief with the outcomes of each of its permitted moves."""
    for belief, moves in steps.items():
        for move, beliefs_after in moves.items():
            if _may_use(belief, move, into_target):
                yield belief, beliefs_after


def _mean(values: dict[Belief, int], beliefs: Sequence[Belief]) -> int:
    """Returns the mean value of equally likely beliefs, which is a whole number of 1/24 moves."""
    return sum([values[belief] for belief in beliefs]) // len(beliefs)


def _may_use(belief: Belief, move: str, into_target: Exchanges | None) -> bool:
    if move != "T" or into_target is None:
        return True
    return (belief.layout[board.TARGET], belief.layout[board.KEEPER_PLACE[belief.turn]]) in into_target
