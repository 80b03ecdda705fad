"""Solitario with all cards known: a line of play that solves it, or the proof that there is none.

``solve`` takes a ``Position`` (``dealt`` makes the one at the beginning of a hand) and searches it to the end
or until its node budget is spent. Score and time do not matter to it, and nothing is ever undone.

A line is a tuple of actions, columns counted from 1:

``draw``         the next card of the stock, or the next three, to the waste
``turn``         the waste is turned over, when the stock is empty; draws nothing
``up 3``         the uncovered card of column 3 is turned up (only where that is an action of its own)
``home 3``       the last card of column 3 goes to its foundation; ``home w`` the waste's
``move 3 5 2``   the last two cards of column 3 go to column 5
``move w 5``     the waste's card goes to column 5
``back d 5``     the last card of the foundation of denari comes back to column 5

How it searches
---------------
Two cards of one rank and colour are twins: what hangs on one may hang on the other. If a tail can leave one
of them, it can hang on the other one instead, so two positions that differ only in what hangs on which twin
reach the same ones. What a position *is* thus needs little: which cards are home, which are in the stock and
where the waste ends, and how many of the cards dealt to each column still lie there. A column's face-down
cards and the first face-up one, its *base*, follow from that number; all other face-up cards *hang*
somewhere, and where does not matter. Moving a part of a run from twin to twin is no move at all, but is put
into the line where it is needed.

For each pair of twins the number of free places on them is the twins that lie face up less the cards that
hang on them; so a card may be laid on a column if there is a place on the pair above it, and it may leave
its column alone if there is a place on its own pair.

These moves need not be thought about (*forced*), since whoever has a solution without them has one with them:

- A card of a column goes home when nothing can need it on the table: the cards that could be laid on it could
  go home themselves, and so on downwards. For the same reason it never comes back.
- If every stock card can be had at any time (``draw`` 1), a stock card goes home where nothing can need the
  one it covers there: it can be laid on the table from there just as from the stock. So does the last card of
  the stock with any ``draw``, unless cards of the waste are passed for good then: no other is nearer for it.

- A hanging card goes home, because it can come back to the place that it leaves. Whoever has a card that can
  go home need not lay it on a column, for the same reason.

Some moves can wait until the next move *uses* them:

- With ``draw`` 1 a stock card that is laid on a column: a card is laid on it, or its twin goes home.
- A card that comes back from its foundation: the same, or another one comes back, of the same rank or higher,
  laid on it, or from under it.
- The last card of a column, laid elsewhere: a king goes to the empty column.

Some moves can be made *early*, before all others. Take bases that can leave their columns now. Every solution
moves one of them first. Until then they lie still, and the easier game below, without them, has the cards
that can go home or be laid by then (``reachable``). The first of them can leave at once, and the moves before
it follow, if it takes nothing away that they need:

- It is laid on a column. It needs a place on the pair above, and so does its twin if the twin can be laid by
  then. A face-up card of that pair is such a place if it cannot go home by then.
- It goes home. The cards that can be laid on it by then need a place on its twin, which cannot go home by
  then. The card below it on its foundation need not come back by then (``needless_at_home``).

So only the early moves of these bases are searched. A solution may get longer: the card is laid on a column
and goes home from there, or comes back to be laid where it was laid before. This cannot go on for ever,
because each of these moves takes a card from its column for good. Early moves cost more time than they save
where a solution is near, so short attempts do without.

The search goes into the depth and never looks at a position twice, nor at one that differs from an earlier
one only in having fewer cards of the stock at hand. The table of positions has each as a whole, not a hash of
it: no collision can hide a solution. Where the search goes wrong early, it may be long in coming back, so the
first attempts are short, each but the first in another order; whichever ends is a proof. The last attempt
has parts, each in another order. A part begins at the first position again, but does not look at what was
searched to the end before; only the line on which the part before it stopped is open again. The orders are
drawn by one seed: the same position has the same answer, compiled or not (``kernel.py`` has the inner loops).

Two easier games prove that there is no solution. In one, no move takes anything away: places stay free, and
cards stay available. It is played in each position, since it needs no search (``is_lost``). In the other, all
cards of the stock are available, as with ``draw`` 1; some attempts search it instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from cardlab.games.solitario.packs import Pack

NODES = 200_000  # the budget, if none is named
ATTEMPTS = (  # how many, of how many positions, and whether all of the stock is available in them
    *(4 * [(1000, False)] + [(4000, True)] + 20 * [(1000, False)] + 4 * [(16_000, False)]),
    (8_000_000, True),
)
PART = 128_000  # positions of a part of the last attempt
LONG = 16_000  # positions of an attempt that looks for early moves
LARGEST = (1 << 23) - 1  # positions that are remembered at most
ROOM = 10_000  # positions of a line, and those after their other moves


class Position(NamedTuple):
    """A table with all cards known.

    ``columns``: for each its face-down and its face-up cards, bottom card first; ``home``: how many cards lie
    on the foundation of each suit of the pack; ``waste``: its top card is the last; ``stock``: from the top.
    """

    columns: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    home: tuple[int, ...]
    waste: tuple[str, ...]
    stock: tuple[str, ...]


class Solution(NamedTuple):
    """What was found: ``solvable`` True with the ``line`` that solves it, False, or None for undecided.

    ``nodes`` is how many positions were looked at.
    """

    solvable: bool | None
    line: tuple[str, ...]
    nodes: int


def dealt(columns: Iterable[Sequence[str]], stock: Sequence[str]) -> Position:
    """Returns the position at the beginning: each column with its last card face up, nothing home."""
    return Position(
        tuple((tuple(column[:-1]), tuple(column[-1:])) for column in columns), (0, 0, 0, 0), (), tuple(stock)
    )


def solve(
    position: Position, pack: Pack, *, draw: int = 1, ace_on_two: bool = False, nodes: int = NODES
) -> Solution:
    """Search a position for a line that solves it; uncovered cards turn up by themselves in it.

    ``draw``: cards a draw; ``ace_on_two``: whether an ace may be laid on a two; ``nodes``: the most positions
    to look at, beyond which the answer is undecided.
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
    """Returns the line for tables on which an uncovered card is turned up by a click, at once each time."""
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
    """Returns the kernel and the maker of its arrays, whose import takes a while where they are compiled."""
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
        # The cards that were dealt to each column, as far as they lie there, and the base on top of them.
        self.dealt = [[self.number[card] for card in (*hidden, *run[:1])] for hidden, run in position.columns]
        self.sequence = [self.number[card] for card in (*position.waste, *position.stock)]
        self.ace_on_two = ace_on_two
        self.integers = integers
        self.deal = integers(self._deal())
        self.levels = integers(room * kernel.LEVEL)

    def _deal(self) -> list[int]:
        """Returns what stays the same in a search, at the offsets of the kernel."""
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
        """Whether a card at the bottom of its column counts as hanging: a king has left an empty column."""
        return number // 4 == len(self.pack.ranks) - 1

    def set_up(self, draw: int) -> None:
        """Writes the position to the first level, for so many cards a draw."""
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
        levels[kernel.THERE] = there = (1 << len(self.sequence)) - 1
        waste = len(self.position.waste)
        levels[kernel.WASTE] = 0 if waste % draw == 0 or waste == len(self.sequence) else waste
        levels[kernel.HAND] = kernel.cards_at_hand(self.deal, there, (1 << levels[kernel.WASTE]) - 1)
        levels[kernel.HIDDEN] = sum(1 << number for cards in self.dealt for number in cards[:-1])
        counts = sum(1 << kernel.HOMES + 4 * (number & 3) for number in home)
        for column, cards in enumerate(self.dealt):
            if len(cards) > 1 or cards and not self._hangs(cards[0]):
                levels[kernel.BASES] |= 1 << cards[-1]
                counts += len(cards) << 3 * column
        levels[kernel.COUNTS] = counts

    def run(self, nodes: int) -> tuple[bool | None, list[int], int]:
        """Returns the answer, the moves of a solution, and how many positions all attempts looked at."""
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
        """The moves as actions, with the parts of runs that change places."""
        table = _Table(self)
        for move in moves:
            table.play(move >> 1, move & 1)
        return tuple(table.line)


def _slots(positions: int) -> int:
    """Returns how many slots a table has for so many positions, a power of two."""
    return 2 << min(positions, LARGEST).bit_length()


class _Table:
    """A table on which the moves of the search are played card by card; they are written to ``line``."""

    def __init__(self, search: Search):
        self.search, self.line = search, list[str]()
        self.down = [[search.number[card] for card in hidden] for hidden, _run in search.position.columns]
        self.runs = [[search.number[card] for card in run] for _hidden, run in search.position.columns]
        self.stock = list(search.sequence)  # the waste and, from the top, the stock
        self.waste = len(search.position.waste)
        self._turn_up()

    def play(self, card: int, goes_home: int) -> None:
        """Send the card home or lay it on a column, wherever it is."""
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
            if self.runs[here][-1] != card:  # its tail can hang on the other twin
                self._move(here, self.runs[here].index(card) + 1)
            self.line.append(f"home {here + 1}")
            self.runs[here].pop()
        self._turn_up()

    def _move(self, source: int, start: int) -> None:
        """Move the run from its card number ``start`` on."""
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
        """Draw, and turn the stock over if need be, until this card of the sequence is the waste's top."""
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
