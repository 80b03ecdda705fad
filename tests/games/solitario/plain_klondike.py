"""Implements Klondike plainly: one state, all its legal moves, no shortcuts.

It is independent of the game's rules and the solver, so that both can be compared with it. Its moves have the
spelling of the solver (``cardlab.games.solitario.solver``). Uncovered cards turn up automatically.
"""

from __future__ import annotations

from typing import NamedTuple

from cardlab.games.solitario.packs import Pack


class Table(NamedTuple):
    """``columns``: pairs of face-down and face-up cards, bottom cards first; ``home``: the number of cards on
    the foundation of each suit; ``waste``: top card last; ``stock``: top card first."""

    columns: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]
    home: tuple[int, ...]
    waste: tuple[str, ...]
    stock: tuple[str, ...]


def laid(columns, stock, pack: Pack) -> Table:
    """Returns the table as dealt."""
    return Table(
        tuple((tuple(column[:-1]), tuple(column[-1:])) for column in columns),
        (0,) * len(pack.suits),
        (),
        tuple(stock),
    )


def solved(table: Table, pack: Pack) -> bool:
    return sum(table.home) == len(pack.cards)


def turned_up(down, up):
    return (down[:-1], down[-1:]) if down and not up else (down, up)


class Klondike:
    """The rules for one pack and one way to draw."""

    def __init__(self, pack: Pack, draw: int, ace_on_two: bool):
        self.pack, self.draw, self.ace_on_two = pack, draw, ace_on_two

    def goes_home(self, card, home) -> bool:
        return home[self.pack.suits.index(self.pack.suit_of(card))] == self.pack.rank_of(card)

    def goes_on(self, card, column) -> bool:
        """Returns whether a card may be laid on a column."""
        down, up = column
        rank = self.pack.rank_of(card)
        if not up:
            return not down and rank == len(self.pack.ranks) - 1
        if rank == 0 and not self.ace_on_two:
            return False
        return self.pack.rank_of(up[-1]) == rank + 1 and self.pack.is_red(up[-1]) != self.pack.is_red(card)

    def moves(self, table: Table) -> dict[str, Table]:
        """Returns every legal move with the table after it."""
        results: dict[str, Table] = {}
        columns, home, waste, stock = table
        if stock:
            drawn = stock[: self.draw]
            results["draw"] = table._replace(waste=waste + drawn, stock=stock[self.draw :])
        elif waste:
            results["turn"] = table._replace(waste=(), stock=waste)

        def sent(card):
            number = self.pack.suits.index(self.pack.suit_of(card))
            return tuple(count + (n == number) for n, count in enumerate(home))

        def with_columns(changes):
            return tuple(turned_up(*changes.get(n, column)) for n, column in enumerate(columns))

        if waste and self.goes_home(waste[-1], home):
            results["home w"] = table._replace(home=sent(waste[-1]), waste=waste[:-1])
        for n, (down, up) in enumerate(columns):
            if up and self.goes_home(up[-1], home):
                results[f"home {n + 1}"] = table._replace(
                    home=sent(up[-1]), columns=with_columns({n: (down, up[:-1])})
                )
        for to, column in enumerate(columns):
            down, up = column
            if waste and self.goes_on(waste[-1], column):
                changed = with_columns({to: (down, (*up, waste[-1]))})
                results[f"move w {to + 1}"] = table._replace(columns=changed, waste=waste[:-1])
            for number, suit in enumerate(self.pack.suits):
                if home[number]:
                    card = self.pack.ranks[home[number] - 1] + suit
                    if self.goes_on(card, column):
                        less = tuple(count - (n == number) for n, count in enumerate(home))
                        changed = with_columns({to: (down, (*up, card))})
                        results[f"back {suit} {to + 1}"] = table._replace(columns=changed, home=less)
            for source, (below, run) in enumerate(columns):
                if source == to:
                    continue
                for count in range(1, len(run) + 1):
                    if self.goes_on(run[-count], column):
                        changed = with_columns({to: (down, up + run[-count:]), source: (below, run[:-count])})
                        results[f"move {source + 1} {to + 1} {count}"] = table._replace(columns=changed)
        return results

    def played(self, table: Table, line) -> Table:
        """Returns the table after the moves of a line; KeyError at the first that is not legal."""
        for move in line:
            table = self.moves(table)[move]
        return table

    def solvable(self, table: Table, most: int = 5000) -> bool | None:
        """Returns whether any line solves the table by visiting all tables; None if there are too many."""
        seen, waiting = {table}, [table]
        while waiting:
            here = waiting.pop()
            if solved(here, self.pack):
                return True
            for after in self.moves(here).values():
                if after not in seen:
                    seen.add(after)
                    waiting.append(after)
            if len(seen) > most:
                return None
        return False
