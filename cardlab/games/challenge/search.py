"""Searches positions of Challenge for the best move, the values of moves, and forced wins.

Alpha-beta search with iterative deepening, principal variation search and a transposition table (``kernel``).
Depth 0 evaluates the position after each move, depth n looks n actions further (ruling 21). The budget is a
number of nodes, never time, so the same position, game and seed give the same answer on every machine, with
or without compiled loops. A node is a position that is expanded or evaluated.

From depth ``EXACT_DEPTH`` on, packs of up to five cards per suit are looked up in a tablebase: the move that
wins soonest or loses latest; among several drawn moves the search decides.

A position with an empty table that has occurred before counts as drawn, so that the player who is ahead makes
progress. (Only its third occurrence is a draw, rulings 20, 21.) A position with cards on the table counts as
drawn if it has occurred twice. So a proved win is a win under the rules.

A value is for the mover: at least ``WON`` for a forced win, higher if it is sooner. The first search imports
the kernel with numba; ``warm_up`` does this in advance and compiles.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple

from cardlab.games.challenge import tablebase
from cardlab.games.challenge.deal import draw_deal
from cardlab.games.challenge.packs import Bits, bits, height, size_of
from cardlab.games.challenge.position import PICK_UP, Position, apply, legal_moves, start
from cardlab.games.challenge.variants import FULL, Variant

DEPTH = 4
NODES = 200_000  # default budget for a move
LONGEST = 200  # maximum depth of a proof, in actions
WON = 1_000_000
DRAWN = 0
EXACT_DEPTH = 4  # from this depth on, tablebases are used
LINE = 8  # maximum number of expected moves
NODES_PER_ENTRY, MAX_ENTRIES = 8, (1 << 20) - 1  # of the transposition table


class Found(NamedTuple):
    """The result of a search: the best ``move``, and the position's ``value`` for its mover.

    ``line`` has the expected moves as far as known, and ``depth`` is the last completed depth. ``whole`` says
    whether the budget sufficed for the requested depth, and ``nodes`` is the number of visited positions. A
    move from a tablebase has the requested depth and no nodes.
    """

    move: str
    value: int
    line: tuple[str, ...]
    depth: int
    whole: bool
    nodes: int

    @property
    def proved(self) -> bool | None:
        """True for a forced win of the mover, False for a forced loss, None if neither is proved."""
        return True if self.value >= WON else False if self.value <= -WON else None


def best_move(
    position: Position,
    *,
    depth: int = DEPTH,
    nodes: int = NODES,
    seed: object = 0,
    earlier: Iterable[Position] = (),
) -> Found:
    """Returns the best move of a position that is not over.

    ``depth`` is in actions, ``nodes`` is the budget, ``seed`` selects among moves of equal value, and
    ``earlier`` are the earlier positions of the game.
    """
    return Search(position, earlier).run(depth, nodes, seed)


def scores(
    position: Position, *, depth: int = DEPTH, nodes: int = NODES, earlier: Iterable[Position] = ()
) -> dict[str, int]:
    """Returns the value of each legal move for the mover, as deep as the budget allows for all of them.

    The values are from the search, never from a tablebase (``tablebase.exact_scores``).
    """
    return Search(position, earlier).scores(depth, nodes)


def forced_win(
    position: Position, *, nodes: int = NODES, earlier: Iterable[Position] = (), within: int = LONGEST
) -> bool:
    """Returns whether the search proves a win of the mover in ``within`` actions; False proves nothing."""
    from cardlab.games.challenge.kernel import FAR

    proof = Search(position, earlier).run(max(0, min(LONGEST, within - 1)), nodes, 0, exact=False)
    return proof.value >= WON and WON + FAR + proof.depth + 1 - proof.value <= within


def warm_up() -> None:
    """Compiles the inner loops, or loads them from the cache on disk, and loads the tablebases.

    A worker calls it before its first question. It takes up to a minute after a change of the code or of
    numba, else a fraction of a second.
    """
    for size in range(1, tablebase.MAX_SIZE + 2):
        position = start(draw_deal("warm up", size, 0))
        best_move(position, depth=EXACT_DEPTH, nodes=100)
        scores(position, depth=2, nodes=100)


class Search:
    """The search of one position. ``nodes`` counts the visited positions of all its runs."""

    def __init__(self, position: Position, earlier: Iterable[Position] = (), variant: Variant = FULL):
        from cardlab.games.challenge import evaluation, kernel
        from cardlab.games.compiled import integers

        self.position = position
        cards = [*position.hands[0], *position.hands[1], *position.table]
        self.pack: Bits = bits(size_of(cards), position.trumps)
        self._kernel, self._integers = kernel, integers
        self._game = [*earlier, position]
        self._state = self._state_of(position)
        tables = evaluation.tables(self.pack.size, position.form.after_better, variant.dropped)
        self._board = self._new_board(self.pack.mask(cards), position)
        self._board[kernel.PRUNED] = variant.threshold
        nothing = integers(0)
        self._arrays = kernel.Arrays(self._board, *tables, nothing, nothing, nothing)
        seen, twice = self._seen_positions(), self._twice_positions()
        self._arrays = self._arrays._replace(seen=seen, twice=twice)

    @property
    def nodes(self) -> int:
        """The number of visited positions."""
        return int(self._board[self._kernel.NODES])

    def _state_of(self, position: Position) -> tuple[int, int, int, int]:
        """Returns the mover's and the other's cards, the top card, and the mover."""
        mover = position.mover
        top = self.pack.count if position.to_lead else self.pack.number[position.table[-1]]
        me, other = (self.pack.mask(position.hands[player]) for player in (mover, 1 - mover))
        return me, other, top, mover

    def _new_board(self, cards: int, position: Position) -> Any:
        """Returns the array with the constants and counters of the search."""
        kernel, board = self._kernel, self._integers(self._kernel.BOARD)
        board[kernel.SIZE], board[kernel.NONE], board[kernel.ALL] = self.pack.size, self.pack.count, cards
        board[kernel.TRUMPS], board[kernel.TRUMPS + 1] = self.pack.column[:2]
        board[kernel.PICKER] = position.form.after_pickup == "picker"
        board[kernel.LEADS_ON] = position.form.after_better == "lead"
        board[kernel.RUNS] = board[kernel.RUNS + 1] = 1
        return board

    def _seen_positions(self) -> Any:
        """Returns a hash table of the earlier positions with an empty table, and stores its size.

        A run (``kernel.has_run``) leads to each position at most once more. So it proves a win, unless a
        position of a run has occurred twice, because its third occurrence is a draw.
        """
        kernel, board = self._kernel, self._board
        leads = Counter(
            (me, mover)
            for position in self._game
            if position.to_lead and not position.table
            for me, _other, _top, mover in [self._state_of(position)]
        )
        for (me, mover), occurred in leads.items():
            is_left = occurred > 1 and (me, mover) != (self._state[0], self._state[3])
            if is_left and kernel.has_run(me, mover, self._arrays):
                board[kernel.RUNS + mover] = 0
        slots = 1 << (4 * len(leads)).bit_length()
        seen = self._integers(slots)
        for me, mover in leads:
            key = me << 1 | mover
            slot = kernel.mix(key, 0) & slots - 1
            while seen[slot]:
                slot = slot + 1 & slots - 1
            seen[slot] = key
        board[kernel.SEEN] = slots - 1 if leads else 0
        return seen

    def _twice_positions(self) -> Any:
        """Returns the positions that have occurred twice, and stores their number in the board."""
        occurred = Counter(self._state_of(position) for position in self._game)
        twice = [state for state, times in occurred.items() if times > 1]
        self._board[self._kernel.TWICE] = len(twice)
        return self._integers(
            [part for me, other, top, mover in twice for part in (me, other, top << 1 | mover)] or 1
        )

    def _allow(self, depth: int, nodes: int) -> Any:
        """Sets the budget of ``nodes`` more nodes, and returns the arrays with enough memory for them."""
        kernel, board = self._kernel, self._board
        board[kernel.LIMIT], board[kernel.SPENT] = board[kernel.NODES] + nodes, 0
        entries = 1 << max(0, min(nodes // NODES_PER_ENTRY, MAX_ENTRIES)).bit_length() if depth > 1 else 1
        if 3 * entries > len(self._arrays.memory):
            self._arrays = self._arrays._replace(memory=self._integers(3 * entries))
            board[kernel.ENTRIES] = entries - 1
        return self._arrays

    def run(self, depth: int, nodes: int, seed: object, exact: bool = True) -> Found:
        """Searches deeper and deeper, to ``depth``, or until the budget is exhausted or a result is proved.

        Depth 0 is always completed. Without ``exact`` no tablebase is used.
        """
        moves, value = list(legal_moves(self.position)), None
        random.Random(f"{seed}").shuffle(moves)
        trump = self.position.trumps[self.position.mover]
        moves.sort(key=lambda move: (move == PICK_UP, move[-1] == trump, move != PICK_UP and height(move)))
        if exact and depth >= EXACT_DEPTH and (scores := tablebase.exact_scores(self.position)):
            score = max(scores.values())
            moves = [move for move in moves if scores[move] == score]
            value = score + WON if score > 0 else score - WON if score < 0 else DRAWN
            if value or len(moves) == 1:
                return Found(moves[0], value, (moves[0],), depth, True, self.nodes)
        numbers, values = self._integers(map(self._number, moves)), self._integers(len(moves))
        scratch, arrays = self._integers(len(moves)), self._allow(depth, nodes)
        reached = int(self._kernel.best_of(*self._state, depth, numbers, values, scratch, arrays))
        line = self._line(numbers[0])
        value = int(values[0]) if value is None else value
        is_complete = reached == depth or abs(int(values[0])) >= WON
        return Found(line[0], value, line, reached, is_complete, self.nodes)

    def scores(self, depth: int, nodes: int) -> dict[str, int]:
        """Returns the value of each legal move, as deep as the budget allows for all; at least depth 0."""
        worth_by_move = dict[str, int]()
        moves, arrays = list(legal_moves(self.position)), self._allow(depth, nodes)
        numbers, values = self._integers(map(self._number, moves)), self._integers(len(moves))
        for deep in range(depth + 1):
            self._kernel.value_moves(*self._state, deep, 1, numbers, values, arrays)
            if self._board[self._kernel.SPENT]:
                break
            worth_by_move = dict(zip(moves, map(int, values), strict=True))
        return worth_by_move

    def _line(self, number: int) -> tuple[str, ...]:
        """Returns the best move and the expected moves after it from the transposition table."""
        position, line = self.position, list[str]()
        while number >= 0 and position.winner is None and len(line) < LINE:
            line.append(self._card_name(int(number)))
            position = apply(position, line[-1])
            number = self._kernel.remembered_move(*self._state_of(position), self._arrays)
        return tuple(line)

    def _number(self, move: str) -> int:
        return self.pack.count if move == PICK_UP else self.pack.number[move]

    def _card_name(self, number: int) -> str:
        return PICK_UP if number == self.pack.count else self.pack.cards[number]
