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
  one it covers there: it can be laid on the table from there just as from the stock.

With ``draw`` 1 a stock card that is laid on a column can also wait until it is *used* by the next move: a
card is laid on it, or its twin goes home.

The search goes into the depth and never looks at a position twice. Where it goes wrong early, it may be long
in coming back, so the first attempts are short, each in another order; whichever ends is a proof. The orders
are drawn by one seed: the same position has the same answer.

Where a column's base has nowhere to go even if all face-up cards and the stock were at hand, because what it
needs lies under cards which are stuck likewise, the position is lost.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from cardlab.games.solitario.packs import Pack

NODES = 200_000  # the budget, if none is named
ATTEMPTS, SHORT = 32, 1000  # so many attempts of so many positions come before the one that may take all


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
    search = _Search(position, pack, draw, ace_on_two)
    solvable, moves, seen = search.run(nodes)
    return Solution(solvable, search.line(moves) if solvable else (), seen)


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


# A card is a bit: 4 × rank + suit, the two black suits first, so a pair of twins is two bits side by side.
# Moves are (card, kind), and the forced ones stand in no list of moves: they are found again.
PLACE, HOME = 0, 1
Move = tuple[int, int]
# home, stock, columns, and the card that has to be used by the next move (0 for none)
Node = tuple[int, int, int, int]


class _Columns(NamedTuple):
    """What follows from how many of the dealt cards still lie in each column."""

    hidden: int  # face-down cards
    bases: int
    empty: int  # columns without any dealt card left: empty, or with a king hanging there
    after: dict[int, int]  # the columns when this base has left
    lone: int  # bases with nothing under them
    lost: bool


class _Stock(NamedTuple):
    """What follows from which cards are still in stock and waste and how many of them are in the waste."""

    cards: int
    at_hand: int  # those that can be had by drawing and turning over
    after: dict[int, int]  # the stock when this one is taken


class _Search:
    """The tables for one position, and the search itself."""

    def __init__(self, position: Position, pack: Pack, draw: int, ace_on_two: bool):
        suits = sorted(pack.suits, key=lambda suit: pack.is_red("?" + suit))
        self.position, self.pack, self.draw, self.ace_on_two = position, pack, draw, ace_on_two
        self.suits = suits
        self.bit = {
            card: 1 << 4 * pack.rank_of(card) + suits.index(pack.suit_of(card)) for card in pack.cards
        }
        self.card = {bit: card for card, bit in self.bit.items()}
        ranks = len(pack.ranks)
        self.all = (1 << 4 * ranks) - 1
        self.kings = 15 << 4 * (ranks - 1)
        self.even = self.all // 3  # the lower bit of each pair
        self.black = self.all // 5  # both bits of each black pair
        self.red = self.black << 2
        # What has to be home for a card to be safe there: nothing on the table can need it any more.
        self.needs: dict[int, int] = {}
        for bit in self.card:
            place = bit.bit_length() - 1
            rank, suit = divmod(place, 4)
            need = 0
            if rank >= 2:
                need |= (12 if suit < 2 else 3) << 4 * (rank - 2)
            if rank >= 3:
                need |= 1 << 4 * (rank - 3) + (suit ^ 1)
            self.needs[bit] = need
        # What has to be home for the card under it on the foundation to be safe.
        self.covers = {bit: self.needs.get(bit >> 4, 0) for bit in self.card}
        # The cards that were dealt to each column, as far as they lie there, and the base on top of them.
        self.dealt: list[list[int]] = []
        for hidden, run in position.columns:
            self.dealt.append([self.bit[card] for card in (*hidden, *run[:1])])
        self.sequence = [self.bit[card] for card in (*position.waste, *position.stock)]
        self._columns: dict[int, _Columns] = {}
        self._stocks: dict[int, _Stock] = {}
        columns = 0
        for n, cards in enumerate(self.dealt):
            columns |= self._left(n, len(cards)) << 4 * n
        home = 0
        for number, count in enumerate(position.home):
            for rank in range(count):
                home |= self.bit[pack.ranks[rank] + pack.suits[number]]
        everything = (1 << len(self.sequence)) - 1
        self.start: Node = (home, self._waste(everything, len(position.waste)), columns, 0)

    def _left(self, column: int, cards: int) -> int:
        """Returns how many dealt cards to count: a king alone counts as hanging in an empty column."""
        return 0 if cards == 1 and self.dealt[column][0] & self.kings else cards

    def columns(self, key: int) -> _Columns:
        """``key``: how many dealt cards lie in each column, four bits a column."""
        known = self._columns.get(key)
        if known:
            return known
        hidden = bases = empty = lone = 0
        after = {}
        for n, cards in enumerate(self.dealt):
            count = key >> 4 * n & 15
            if not count:
                empty += 1
                continue
            base = cards[count - 1]
            bases |= base
            hidden |= sum(cards[: count - 1])
            if count == 1:
                lone |= base
            after[base] = key & ~(15 << 4 * n) | self._left(n, count - 1) << 4 * n
        self._columns[key] = found = _Columns(hidden, bases, empty, after, lone, self._stuck(key, hidden))
        return found

    def _stuck(self, key: int, hidden: int) -> bool:
        """Whether some face-down card can never be reached, all others being as good as free."""
        left = [key >> 4 * n & 15 for n in range(len(self.dealt))]
        moved = True
        while moved and hidden:
            moved = False
            for n, cards in enumerate(self.dealt):
                while left[n] > 1:
                    base = cards[left[n] - 1]
                    rank, suit = divmod(base.bit_length() - 1, 4)
                    lower = sum(1 << 4 * below + suit for below in range(rank))
                    above = (12 if suit < 2 else 3) << 4 * (rank + 1)
                    if not self.ace_on_two and rank == 0:
                        above = 0
                    if not (base & self.kings or above & ~hidden & self.all or not lower & hidden):
                        break
                    left[n] -= 1
                    hidden &= ~cards[left[n] - 1]
                    moved = True
        return bool(hidden)

    def _waste(self, there: int, waste: int) -> int:
        """The key of a stock: which cards of the sequence are there, and how many of them in the waste.

        After whole draws, or with everything in the waste, the cards at hand are those of a full stock.
        """
        return there << 6 | (0 if waste % self.draw == 0 or waste == there.bit_count() else waste)

    def stock(self, key: int) -> _Stock:
        """``key``: see ``_waste``."""
        known = self._stocks.get(key)
        if known:
            return known
        there, waste = key >> 6, key & 63
        numbers = [n for n in range(len(self.sequence)) if there >> n & 1]
        tops = {*range(self.draw, len(numbers), self.draw), *range(waste, len(numbers), self.draw)}
        tops |= {len(numbers)}
        at_hand = {top - 1 for top in tops if top}
        after = {
            self.sequence[numbers[n]]: self._waste(there & ~(1 << numbers[n]), n) for n in sorted(at_hand)
        }
        cards = sum(self.sequence[n] for n in numbers)
        self._stocks[key] = found = _Stock(cards, sum(after), after)
        return found

    def settle(self, node: Node, forced: list[Move] | None = None) -> tuple[Node, int, int, int]:
        """Play the forced moves, unless a card has to be used; they are added to ``forced``.

        Gives the node after them, the hanging cards, the pairs with a free place (both bits of each), and the
        cards that could be laid on a column.
        """
        home, stock_key, columns_key, use = node
        columns = self._columns.get(columns_key) or self.columns(columns_key)
        stock = self._stocks.get(stock_key) or self.stock(stock_key)
        everything, even, black, red, kings = self.all, self.even, self.black, self.red, self.kings
        while True:
            up = everything & ~(home | stock.cards | columns.hidden)
            hang = up & ~columns.bases
            tails = (hang & even) + (hang >> 1 & even)
            free = (up & even) + (up >> 1 & even) - (((tails & black) << 6 | (tails & red) << 2) & everything)
            free = ((free | free >> 1) & even) * 3
            if use:
                break
            goes = (home << 4 | 15) & ~home & everything
            if move := _unneeded(goes & up & free, self.needs, home):
                columns_key = columns.after.get(move, columns_key)
                columns = self.columns(columns_key)
            elif self.draw == 1 and (move := _unneeded(goes & stock.cards, self.covers, home)):
                stock_key = stock.after[move]
                stock = self.stock(stock_key)
            else:
                break
            home |= move
            if forced is not None:
                forced.append((move, HOME))
        fits = (free & black) >> 2 | (free & red) >> 6
        if not self.ace_on_two:
            fits &= ~15
        if columns.empty > (hang & kings).bit_count():
            fits |= kings
        return (home, stock_key, columns_key, use), hang, free, fits

    def moves(self, node: Node, hang: int, free: int, fits: int) -> list[tuple[Move, Node]]:
        """The moves of a settled node that need thinking about, and the nodes after them; the best last."""
        home, stock_key, columns_key, use = node
        columns, stock = self._columns[columns_key], self._stocks[stock_key]
        goes = (home << 4 | 15) & ~home & self.all & (free | stock.at_hand)
        back = fits & home & ~(home >> 4)  # the last card of each foundation
        taken, laid = fits & stock.at_hand, fits & columns.bases
        if self.draw == 1:
            taken &= ~free
        if not self.kings & ~hang:  # no king needs an empty column
            laid &= ~columns.lone
        if use:
            twins = 3 << (use.bit_length() - 1 & ~1)
            tails = (twins & self.black) >> 2 | (twins & self.red) >> 6
            back, taken, laid = back & tails, taken & tails, laid & tails
            goes &= twins & free & ~use
        found: list[tuple[Move, Node]] = []
        while back:
            card = back & -back
            back ^= card
            if self.needs[card] & ~home:
                found.append(((card, PLACE), (home ^ card, stock_key, columns_key, 0)))
        while taken:
            card = taken & -taken
            taken ^= card
            found.append(
                ((card, PLACE), (home, stock.after[card], columns_key, card if self.draw == 1 else 0))
            )
        while laid:
            card = laid & -laid
            laid ^= card
            found.append(((card, PLACE), (home, stock_key, columns.after[card], 0)))
        while goes:
            card = goes & -goes
            goes ^= card
            if card in stock.after:
                if not use:
                    found.append(((card, HOME), (home | card, stock.after[card], columns_key, 0)))
            elif not card & (stock.cards | columns.hidden):
                after = columns.after.get(card, columns_key)
                found.append(((card, HOME), (home | card, stock_key, after, 0)))
        return found

    def run(self, nodes: int) -> tuple[bool | None, list[Move], int]:
        """Returns the answer, the moves of a solution, and how many nodes were looked at in all attempts."""
        chance, seen = random.Random(0), 0
        for attempt in range(ATTEMPTS + 1):
            most = min(SHORT, nodes - seen) if attempt < ATTEMPTS else nodes - seen
            solvable, moves, more = self.attempt(most, chance if attempt else None)
            seen += more
            if solvable is not None or seen == nodes:
                break
        return solvable, moves, seen

    def attempt(self, nodes: int, chance: random.Random | None) -> tuple[bool | None, list[Move], int]:
        """Returns one depth-first search, in an order drawn by ``chance`` but cards home first."""
        seen: set[Node] = set()
        path: list[Move] = []
        levels: list[list[tuple[Move, Node]]] = [[((0, 0), self.start)]]
        while levels:
            if not levels[-1]:
                levels.pop()
                continue
            move, node = levels[-1].pop()
            if self.columns(node[2]).lost:
                continue
            settled, hang, free, fits = self.settle(node)
            if settled in seen:
                continue
            path[len(levels) - 1 :] = [move]
            if settled[0] == self.all:
                return True, path[1:], len(seen)
            if len(seen) == nodes:
                return None, [], nodes
            seen.add(settled)
            following = self.moves(settled, hang, free, fits)
            if chance:
                chance.shuffle(following)
                following.sort(key=lambda step: step[0][1])
            levels.append(following)
        return False, [], len(seen)

    def line(self, moves: list[Move]) -> tuple[str, ...]:
        """The moves as actions, with the forced ones and with the parts of runs that change places."""
        table = _Table(self)
        node = self.start
        for card, kind in [(0, 0), *moves]:
            if card:
                node = self._after(node, card, kind)
                table.play(card, kind)
            forced: list[Move] = []
            node, *_rest = self.settle(node, forced)
            for move in forced:
                table.play(*move)
        return tuple(table.line)

    def _after(self, node: Node, card: int, kind: int) -> Node:
        """Returns the node after a move of a settled one."""
        _node, hang, free, fits = self.settle(node)
        return next(after for move, after in self.moves(node, hang, free, fits) if move == (card, kind))


def _unneeded(cards: int, needs: dict[int, int], home: int) -> int:
    """Returns one of the cards for which what it needs is home; 0 if there is none."""
    while cards:
        card = cards & -cards
        if not needs[card] & ~home:
            return card
        cards ^= card
    return 0


class _Table:
    """A table on which the moves of the search are played card by card; they are written to ``line``."""

    def __init__(self, search: _Search):
        self.search, self.line = search, list[str]()
        self.down = [[search.bit[card] for card in hidden] for hidden, _run in search.position.columns]
        self.runs = [[search.bit[card] for card in run] for _hidden, run in search.position.columns]
        self.stock = list(search.sequence)  # the waste and, from the top, the stock
        self.waste = len(search.position.waste)
        self._turn_up()

    def play(self, card: int, kind: int) -> None:
        """Send the card home or lay it on a column, wherever it is."""
        if card in self.stock:
            self._draw_to(self.stock.index(card))
            self.line.append("home w" if kind == HOME else f"move w {self._place(card) + 1}")
            self.waste -= 1
            del self.stock[self.waste]
            if kind == PLACE:
                self.runs[self._place(card)].append(card)
            return
        here = next((n for n, run in enumerate(self.runs) if card in run), None)
        if here is None:  # it comes back from its foundation
            to = self._place(card)
            self.line.append(f"back {self.search.card[card][-1]} {to + 1}")
            self.runs[to].append(card)
        elif kind == PLACE:
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
        if card & self.search.kings:
            return next(n for n, run in enumerate(self.runs) if not run)
        rank, suit = divmod(card.bit_length() - 1, 4)
        above = (12 if suit < 2 else 3) << 4 * (rank + 1)
        return next(n for n, run in enumerate(self.runs) if run and run[-1] & above)

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
