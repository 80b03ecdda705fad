"""Searches a position of Solitario, with all cards known, for a solution or a proof that there is none.

``solve`` searches a ``Position`` (``dealt`` makes the first one of a hand) until it is decided or the node
budget is spent. It ignores score, time and undo.

A line is a tuple of actions, with columns counted from 1:

``draw``         moves the next card of the stock, or the next three, to the waste
``turn``         turns the waste over when the stock is empty; draws nothing
``up 3``         turns up the uncovered card of column 3 (only where this is a separate action)
``home 3``       moves the last card of column 3 to its foundation; ``home w`` the waste's top card
``move 3 5 2``   moves the last two cards of column 3 to column 5
``move w 5``     moves the waste's top card to column 5
``back d 5``     moves the top card of the foundation of denari to column 5

How it searches
---------------
Two cards of the same rank and colour are *twins*: what hangs on one may hang on the other. A run that can
leave one of them can move to the other one. So two positions that differ only in which run hangs on which
twin can reach the same positions. A position is defined by the cards at home, the cards in the stock, the
end of the waste, and how many of the cards dealt to each column are still there. This number gives a column's
face-down cards and its first face-up card, the *base*. All other face-up cards *hang* somewhere, and it does
not matter where. Moving a part of a run from twin to twin is not a move of the search; it is added to the
line where it is needed.

The number of free places on a pair of twins is the number of twins that are face up in columns minus the
number of cards that hang on them. A card can be laid on a column if there is a place on the pair above it. It
can leave its column without the cards on it if there is a place on its own pair.

These moves are *forced*: they are played without looking at others, because every position that can be solved
without them can be solved with them.

- A card of a column goes home if no card can need it in a column: the cards that could be laid on it could go
  home themselves, and so on downwards. For the same reason it never comes back.
- With ``draw`` 1 every stock card is always available. A stock card goes home if no card can need the one
  that it covers there: it can be laid on a column from home as well as from the stock. With any ``draw``,
  the last card of the stock does so too, unless cards of the waste are then out of reach for good. No other
  card is easier to reach while it is in the stock.
- A hanging card goes home, because it can come back to the place that it leaves. For the same reason, a card
  that can go home is not laid on a column.

Some moves are searched only if the next move *uses* them:

- A stock card is laid on a column, with ``draw`` 1. Next, a card is laid on it, or its twin goes home.
- A card comes back from its foundation. Next, the same, or another card comes back: of the same or a higher
  rank, laid on it, or from under it.
- The last card of a column is laid elsewhere. Next, a king goes to the empty column.

Some moves can be made *early*, before all others. Consider some bases that can leave their columns now. Every
solution moves one of them first. Until then only those cards can go home or be laid that can do so in the
first easier game below, played without these bases (``reachable``). The base that moves first can leave at
once, and the moves before it follow, if it takes nothing away that they need:

- If it is laid on a column, it needs a place on the pair above, and so does its twin if the twin can be laid
  by then. A face-up card of that pair is such a place if it cannot go home by then.
- If it goes home, the cards that can be laid on it by then need a place on its twin, and the twin must be
  unable to go home by then. The card below it on its foundation must not need to come back by then
  (``needless_at_home``).

Then only the early moves of these bases are searched. This can make a solution longer: a card is laid on a
column and goes home from there, or comes back to where it was laid before. The number of early moves is
limited, because each takes a card from its column for good. Finding them costs more time than it saves if a
solution is near, so short attempts do not look for them.

The search is depth-first. It skips a position that it has searched, or that differs from one only in having
fewer cards of the stock available. The table stores complete positions, not hashes, so no collision can hide
a solution. After a wrong early decision the search may take long to come back. So the first attempts are
short, each after the first in another order. An attempt that searches all positions is a proof. The last
attempt has parts, each in another order. A part begins again at the first position, but skips the positions
that were searched completely before. Only the line on which the previous part stopped is open again. One seed
determines the orders, so the same position has the same answer, compiled or not (``kernel.py`` has the inner
loops).

Two easier games prove that there is no solution. In the first, no move takes anything away: places stay free,
and cards stay available. It needs no search, so it is played in each position (``is_lost``). In the second,
all cards of the stock are available, as with ``draw`` 1; some attempts search it instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cardlab.games.solitario.packs import Pack

NODES = 200_000  # default budget, in positions
ATTEMPTS = (  # the budget of each, in positions, and whether all of the stock is available in it
    *(4 * [(1000, False)] + [(4000, True)] + 20 * [(1000, False)] + 4 * [(16_000, False)]),
    (8_000_000, True),
)
PART = 128_000  # positions of a part of the last attempt
LONG = 16_000  # attempts with at least this budget look for early moves
LARGEST = (1 << 23) - 1  # maximum number of positions in the table
ROOM = 10_000  # maximum number of positions of a line and after their other moves


class Position(NamedTuple):
    """A table with all cards known.

    ``columns`` has the face-down and the face-up cards of each, bottom card first. ``home`` has the number of
    cards on the foundation of each suit of the pack. ``waste`` ends and ``stock`` begins with its top card.
    """

    columns: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    home: tuple[int, ...]
    waste: tuple[str, ...]
    stock: tuple[str, ...]


class Solution(NamedTuple):
    """The result: ``solvable`` is True, with the ``line`` that solves it, False, or None if undecided.

    ``nodes`` is the number of searched positions.
    """

    solvable: bool | None
    line: tuple[str, ...]
    nodes: int


def dealt(columns: Iterable[Sequence[str]], stock: Sequence[str]) -> Position:
    """Returns the first position of a hand: the last card of each column is face up, nothing is home."""
    return Position(
        tuple((tuple(column[:-1]), tuple(column[-1:])) for column in columns), (0, 0, 0, 0), (), tuple(stock)
    )


def solve(
    position: Position, pack: Pack, *, draw: int = 1, ace_on_two: bool = False, nodes: int = NODES
) -> Solution:
    """Searches a position for a line that solves it, in which uncovered cards turn up automatically.

    ``draw`` is the number of cards per draw, ``ace_on_two`` says whether an ace may be laid on a two, and
    ``nodes`` is the maximum number of positions to search. If they do not suffice, the answer is undecided.
    """
    search = Search(position, pack, draw, ace_on_two)
    solvable, moves, seen = search.run(nodes)
    return Solution(solvable, search.line(moves) if solvable else (), seen)


def decide(
    position: Position, pack: Pack, *, draw: int = 1, ace_on_two: bool = False, nodes: int = NODES
) -> bool | None:
    """Returns the answer of :func:`solve` without the line."""
    return Search(position, pack, draw, ace_on_two).run(nodes)[0]


def with_clicks(line: Iterable[str], position: Position) -> tuple[str, ...]:
    """Returns the line with an ``up`` as soon as a card is uncovered, for hands with ``turn_up`` click."""
    down = [len(hidden) for hidden, _run in position.columns]
    up = [len(run) for _hidden, run in position.columns]
    clicked = [f"up {n + 1}" for n, run in enumerate(up) if not run and down[n]]
    for n, run in enumerate(up):
        if not run and down[n]:
            down[n], up[n] = down[n] - 1, 1
    for action in line:
        clicked.append(action)
        kind, *words = action.split()
        if kind not in ("home", "move", "back"):
            continue
        if kind != "home":
            up[int(words[1]) - 1] += int(words[2]) if len(words) == 3 else 1
        if kind != "back" and words[0] != "w":
            column = int(words[0]) - 1
            up[column] -= int(words[2]) if kind == "move" else 1
            if not up[column] and down[column]:
                clicked.append(f"up {column + 1}")
                down[column], up[column] = down[column] - 1, 1
    return tuple(clicked)


def import_tools() -> tuple[Any, Any]:
    """Imports and returns the kernel and ``integers``, which takes a while if they are compiled."""
    from cardlab.games.compiled import integers
    from cardlab.games.solitario import kernel

    return kernel, integers


class Search:
    """The search of one position."""

    def __init__(self, position: Position, pack: Pack, draw: int, ace_on_two: bool, room: int = ROOM):
        kernel, integers = import_tools()
        self.kernel, self.position, self.pack, self.draw = kernel, position, pack, draw
        self.suits = sorted(pack.suits, key=lambda suit: pack.is_red("?" + suit))
        self.number = {
            card: 4 * pack.rank_of(card) + self.suits.index(pack.suit_of(card)) for card in pack.cards
        }
        self.card = {number: card for card, number in self.number.items()}
        # The cards dealt to each column that are still there, the base last.
        self.dealt = [[self.number[card] for card in (*hidden, *run[:1])] for hidden, run in position.columns]
        self.sequence = [self.number[card] for card in (*position.waste, *position.stock)]
        self.ace_on_two = ace_on_two
        self.integers = integers
        self.deal = integers(self._deal())
        self.levels = integers(room * kernel.LEVEL)

    def _deal(self) -> list[int]:
        """Returns the constants of the search, at the offsets of the kernel."""
        kernel, ranks = self.kernel, len(self.pack.ranks)
        deal = [0] * kernel.DEAL
        deal[kernel.ALL] = everything = (1 << 4 * ranks) - 1
        deal[kernel.KINGS] = 15 << 4 * (ranks - 1)
        deal[kernel.EVEN] = everything // 3
        deal[kernel.BLACK] = everything // 5
        deal[kernel.RED] = everything // 5 << 2
        deal[kernel.BOTTOMS] = sum(1 << cards[0] for cards in self.dealt if cards)
        deal[kernel.COLUMNS], deal[kernel.DRAW] = len(self.dealt), self.draw
        deal[kernel.ACES] = int(self.ace_on_two)
        for column, cards in enumerate(self.dealt):
            for number in cards:
                deal[kernel.ONE + number] = 1 << 3 * column
            for below, number in zip(cards, cards[1:]):
                deal[kernel.BELOW + number] = 1 << below
            if len(cards) > 1 and self._hangs(cards[0]):
                deal[kernel.ONE + cards[1]] *= 2
        for place, number in enumerate(self.sequence):
            deal[kernel.PLACE_IN_STOCK + number] = 1 << place
            deal[kernel.SEQUENCE + place] = 1 << number
        for place in range(4 * 7):
            first, start = 1 << place % 7, kernel.CARDS + 128 * (place // 7)
            for places in range(first):
                deal[start + first + places] = deal[start + places] | deal[kernel.SEQUENCE + place]
        return deal

    def _hangs(self, number: int) -> bool:
        """Whether the bottom card of a column counts as hanging: a king hangs on the empty column."""
        return number // 4 == len(self.pack.ranks) - 1

    def set_up(self, draw: int) -> None:
        """Writes the position to the first level, for ``draw`` cards per draw."""
        kernel, levels = self.kernel, self.levels
        self.deal[kernel.DRAW] = draw
        levels[: kernel.LEVEL] = self.integers(kernel.LEVEL)
        home = [
            self.number[self.pack.ranks[rank] + suit]
            for suit, count in zip(self.pack.suits, self.position.home)
            for rank in range(count)
        ]
        levels[kernel.HOME] = sum(1 << number for number in home)
        levels[kernel.STOCK] = sum(1 << number for number in self.sequence)
        levels[kernel.STOCK_PLACES] = stock_places = (1 << len(self.sequence)) - 1
        waste = len(self.position.waste)
        levels[kernel.WASTE] = 0 if waste % draw == 0 or waste == len(self.sequence) else waste
        levels[kernel.HAND] = kernel.cards_at_hand(self.deal, stock_places, (1 << levels[kernel.WASTE]) - 1)
        levels[kernel.HIDDEN] = sum(1 << number for cards in self.dealt for number in cards[:-1])
        counts = sum(1 << kernel.HOMES + 4 * (number & 3) for number in home)
        for column, cards in enumerate(self.dealt):
            if len(cards) > 1 or cards and not self._hangs(cards[0]):
                levels[kernel.BASES] |= 1 << cards[-1]
                counts += len(cards) << 3 * column
        levels[kernel.COUNTS] = counts

    def run(self, nodes: int) -> tuple[bool | None, list[int], int]:
        """Returns the answer, the moves of a solution, and the number of searched positions."""
        kernel, seen, chance = self.kernel, 0, 0
        moves, table = self.integers(ROOM), self.integers(0)
        for attempt, (most, easier) in enumerate(ATTEMPTS, 1):
            if easier and self.draw == 1:
                continue
            self.set_up(1 if easier else self.draw)
            long, most = most >= LONG, min(most, nodes - seen)
            slots = _slots(most)
            if len(table) < 2 * slots:
                table = self.integers(2 * slots)
            arrays = self.deal, self.levels, moves, table
            answer, more, end = kernel.search(*arrays, slots - 1, attempt, ROOM, most, chance, long)
            seen += more
            chance = kernel.next_chance(chance + attempt)
            if answer == kernel.UNSOLVABLE:
                return False, [], seen
            if answer == kernel.SOLVED and not easier:
                return True, self._trail(moves, end), seen
            if seen == nodes:
                return None, [], seen
        solvable, trail, more = self._run_parts(moves, nodes - seen, chance)
        return solvable, trail, seen + more

    def _run_parts(self, moves: Any, nodes: int, chance: int) -> tuple[bool | None, list[int], int]:
        """Runs the parts of the last attempt; returns the same as ``run``."""
        kernel, seen, slots = self.kernel, 0, _slots(nodes)
        table = self.integers(2 * slots)
        arrays, is_cut, end = (self.deal, self.levels, moves, table), False, 0
        while seen < nodes and end >= 0:
            self.set_up(self.draw)
            most = min(PART, nodes - seen)
            answer, more, end = kernel.search(*arrays, slots - 1, 1, ROOM, most, chance, True)
            seen += more
            if answer == kernel.SOLVED:
                return True, self._trail(moves, end), seen
            is_cut |= answer == kernel.CUT
            kernel.reopen_line(self.levels, end, table)
            chance = kernel.next_chance(chance + 1)
        return (False if end < 0 and not is_cut else None), [], seen

    def _trail(self, moves: Any, end: int) -> list[int]:
        """Returns the moves, forced ones included, to the position at ``end``."""
        trail = self.integers(2 * ROOM)
        self.set_up(self.draw)
        return [*trail[: self.kernel.write_trail(self.deal, self.levels, end, moves, trail)]]

    def line(self, moves: list[int]) -> tuple[str, ...]:
        """Returns the moves as actions, with the necessary moves of runs from twin to twin."""
        table = _Table(self)
        for move in moves:
            table.play(move >> 1, move & 1)
        return tuple(table.line)


def _slots(positions: int) -> int:
    """Returns the number of slots of a table for this number of positions, a power of two."""
    return 2 << min(positions, LARGEST).bit_length()


class _Table:
    """A table on which the moves of the search are played card by card, and written to ``line``."""

    def __init__(self, search: Search):
        self.search, self.line = search, list[str]()
        self.down = [[search.number[card] for card in hidden] for hidden, _run in search.position.columns]
        self.runs = [[search.number[card] for card in run] for _hidden, run in search.position.columns]
        self.stock = list(search.sequence)  # the waste and, from the top, the stock
        self.waste = len(search.position.waste)
        self._turn_up()

    def play(self, card: int, goes_home: int) -> None:
        """Sends the card home or lays it on a column, wherever it is."""
        if card in self.stock:
            self._draw_to(self.stock.index(card))
            self.line.append("home w" if goes_home else f"move w {self._place(card) + 1}")
            self.waste -= 1
            del self.stock[self.waste]
            if not goes_home:
                self.runs[self._place(card)].append(card)
            return
        here = next((n for n, run in enumerate(self.runs) if card in run), None)
        if here is None:  # it comes back from its foundation
            to = self._place(card)
            self.line.append(f"back {self.search.card[card][-1]} {to + 1}")
            self.runs[to].append(card)
        elif not goes_home:
            self._move(here, self.runs[here].index(card))
        else:
            if self.runs[here][-1] != card:  # the run on it can hang on the other twin
                self._move(here, self.runs[here].index(card) + 1)
            self.line.append(f"home {here + 1}")
            self.runs[here].pop()
        self._turn_up()

    def _move(self, source: int, start: int) -> None:
        """Moves the part of a run that begins at index ``start``."""
        run = self.runs[source]
        to = self._place(run[start])
        self.line.append(f"move {source + 1} {to + 1} {len(run) - start}")
        self.runs[to].extend(run[start:])
        del run[start:]

    def _place(self, card: int) -> int:
        """Returns the first column on which the card may be laid."""
        rank, suit = divmod(card, 4)
        if rank == len(self.search.pack.ranks) - 1:
            return next(n for n, run in enumerate(self.runs) if not run)
        above = [4 * (rank + 1) + other for other in ((2, 3) if suit < 2 else (0, 1))]
        return next(n for n, run in enumerate(self.runs) if run and run[-1] in above)

    def _draw_to(self, number: int) -> None:
        """Draws, and turns the stock over if necessary, until this card of the sequence tops the waste."""
        draw, last = self.search.draw, len(self.stock)
        if number + 1 < self.waste or (number + 1 - self.waste) % draw and number + 1 != last:
            while self.waste < last:
                self._draw()
            self.line.append("turn")
            self.waste = 0
        while self.waste < number + 1:
            self._draw()

    def _draw(self) -> None:
        self.line.append("draw")
        self.waste = min(self.waste + self.search.draw, len(self.stock))

    def _turn_up(self) -> None:
        for hidden, run in zip(self.down, self.runs, strict=True):
            if hidden and not run:
                run.append(hidden.pop())
