"""Defines the strategies of Solitario for simulations and demonstrations.

All except ``solver`` have only the information of a player: the legal moves, the view, and earlier views.
Each gives up a hand that it does not solve.
"""

from __future__ import annotations

from collections.abc import Hashable
from functools import lru_cache
from random import Random
from typing import Any

from cardlab.games.contract import Policy, Strategy, ViewPolicy
from cardlab.games.solitario import rules
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.rules import DRAW, GIVE_UP, TURN, WASTE, Column, State
from cardlab.games.solitario.solver import Position, solve, with_clicks

View = dict[str, Any]

MAX_RANDOM_MOVES = 300  # after which the random player gives up
MAX_ACTIONS = 500  # actions, after which the careful player gives up
NODES = 20_000  # the solver's budget for a deal


def _random(chance: Random) -> Policy:
    def act(state: State, _seat: str) -> str:
        moves = list(rules.legal_moves(state)) if state.moves < MAX_RANDOM_MOVES else []
        return chance.choice(moves) if moves else GIVE_UP

    return act


class _StockPolicy:
    """Draws and turns the stock over, until a complete pass has changed nothing."""

    def __init__(self) -> None:
        self._last_table: Hashable = None  # the table at the beginning of this pass

    def next_action(self, view: View) -> str | None:
        """Returns the next action; None after a pass without a change, or if stock and waste are empty."""
        if not view["moves"]:
            self._last_table = _table_key(view)
        if view["stock"]:
            return DRAW
        if not view["waste_count"] or _table_key(view) == self._last_table:
            return None
        self._last_table = _table_key(view)
        return TURN


def _table_key(view: View) -> Hashable:
    """Returns a key of the visible table and the size of the stock, without the order of columns."""
    columns = frozenset((column["down"], *column["up"]) for column in view["columns"])
    return columns, frozenset(view["foundations"]), view["stock"] + view["waste_count"]


def _greedy(_chance: Random) -> Policy:
    stock = _StockPolicy()
    return lambda state, seat: _greedy_action(list(rules.legal_moves(state)), rules.view(state, seat), stock)


def _greedy_action(moves: list[str], view: View, stock: _StockPolicy) -> str:
    stock_action = stock.next_action(view)  # called even if not used, because it tracks changes of the table
    uncovering = [move for move in moves if _uncovers(move, view)]
    return (
        _first(moves, "up")
        or _first(moves, "home")
        or max(uncovering, key=lambda move: _count_face_down(move, view), default="")
        or _first(moves, f"move {WASTE}")
        or stock_action
        or GIVE_UP
    )


def new_view_policy(_chance: Random) -> ViewPolicy:
    """Returns a policy like ``greedy`` that never lays an ace on a column."""
    stock = _StockPolicy()

    def act(view: View) -> str | None:
        table = state_from_view(view)
        if table.solved or view["last"] == GIVE_UP:
            return None
        return _greedy_action(list(rules.legal_moves(table)), view, stock)

    return act


def state_from_view(view: View) -> State:
    """Returns the visible table as a state, with ``?`` for face-down cards."""
    pack = next(name for name, pack in PACKS.items() if len(pack.cards) == view["cards"])
    home = {card[-1]: PACKS[pack].rank_of(card) + 1 for card in view["foundations"] if card}
    return State(
        tuple(Column(("?",) * column["down"], tuple(column["up"])) for column in view["columns"]),
        ("?",) * view["stock"],
        {"pack": pack, "ace_on_two": False},
        waste=tuple(view["waste"]),
        home=tuple(home.get(suit, 0) for suit in PACKS[pack].suits),
    )


def _first(moves: list[str], beginning: str) -> str:
    """Returns the first move that starts with ``beginning``, "" if there is none."""
    return next((move for move in moves if move.startswith(beginning)), "")


def _moves_whole_run(move: str, view: View) -> bool:
    """Returns whether the move takes all face-up cards of a column to another column."""
    kind, *arguments = move.split()
    if kind != "move" or arguments[0] == WASTE:
        return False
    return int(arguments[2]) == len(view["columns"][int(arguments[0]) - 1]["up"])


def _count_face_down(move: str, view: View) -> int:
    """Counts the face-down cards of the column that the move starts from."""
    down: int = view["columns"][int(move.split()[1]) - 1]["down"]
    return down


def _uncovers(move: str, view: View) -> bool:
    """Returns whether the move from column to column uncovers a face-down card."""
    return _moves_whole_run(move, view) and _count_face_down(move, view) > 0


# The careful player.


class _Memory:
    """The tables and cards that a player has seen in a hand, and whether these include the whole stock."""

    def __init__(self) -> None:
        self.tables: set[Hashable] = set()
        self.cards: set[str] = set()
        self.all_of_stock = False

    def update(self, view: View) -> None:
        """Adds the contents of a view."""
        self.tables.add(_table_key(view))
        self.cards.update(view["waste"], *(column["up"] for column in view["columns"]))
        self.all_of_stock |= not view["stock"]

    def lies_face_down(self, card: str) -> bool:
        """Returns whether a card must be face down in a column, because it has not been seen elsewhere."""
        return self.all_of_stock and card not in self.cards


def _careful(chance: Random) -> Policy:
    memory, stock = _Memory(), _StockPolicy()

    def act(state: State, seat: str) -> str:
        nonlocal memory
        view = rules.view(state, seat)
        memory = memory if view["moves"] else _Memory()
        memory.update(view)
        stock_action = stock.next_action(view)
        if view["moves"] >= MAX_ACTIONS:
            return GIVE_UP
        moves = [move for move in rules.legal_moves(state) if move not in (DRAW, TURN)]
        if up := _first(moves, "up"):
            return up
        values = {move: _value(move, state, view, memory) for move in moves}
        for best_value in sorted({*values.values()}, reverse=True):
            if best_value <= (0, 0) and stock_action:
                break
            if new_moves := [
                move
                for move in moves
                if values[move] == best_value and _leads_to_new_table(move, state, view, memory)
            ]:
                return chance.choice(new_moves)
        return stock_action or GIVE_UP

    return act


def new_varied_policy(chance: Random) -> Policy:
    """Returns a policy like ``careful``, in which one in eight actions is a random legal move of cards."""
    careful = _careful(chance)

    def act(state: State, seat: str) -> str:
        action = careful(state, seat)
        moves = [move for move in rules.legal_moves(state) if move not in (DRAW, TURN)]
        return chance.choice(moves) if moves and chance.random() < 1 / 8 else action

    return act


def _leads_to_new_table(move: str, state: State, view: View, memory: _Memory) -> bool:
    """Returns whether the table after the move is new.

    This is true for all moves that uncover a card. They are not applied, because this would reveal the card.
    """
    if _uncovers(move, view):
        return True
    return _table_key(rules.view(rules.apply(state, rules.SEAT, move), rules.SEAT)) not in memory.tables


def _value(move: str, state: State, view: View, memory: _Memory) -> tuple[int, int]:
    """Returns points and priority of a move in the paper's heuristic."""
    kind, source, *_rest = move.split()
    if kind == "home":
        return 5, 0
    if kind == "back":
        return -10, 0
    if source == WASTE:
        return 5, -1 if _is_king_without_queen(view["waste"][-1], state, memory) else 1
    if not _moves_whole_run(move, view):
        return 0, 0
    return 0, _count_face_down(move, view) + 1


def _is_king_without_queen(card: str, state: State, memory: _Memory) -> bool:
    """Returns whether it is a king whose queen (the next lower card of its suit) is face down in a column."""
    ranks = state.pack.ranks
    return card[:-1] == ranks[-1] and memory.lies_face_down(ranks[-2] + card[-1])


# The solver.


def _solver(chance: Random) -> Policy:
    greedy, line = _greedy(chance), list[str]()

    def act(state: State, seat: str) -> str:
        if not state.moves:
            options = state.options
            known_line = _line(state.position, options["pack"], options["draw"], options["ace_on_two"])
            line[:] = reversed(
                with_clicks(known_line, state.position) if options["turn_up"] == "click" else known_line
            )
        return line.pop() if line else greedy(state, seat)

    return act


@lru_cache(maxsize=256)  # the participants of a session have the same deals
def _line(position: Position, pack: str, draw: int, ace_on_two: bool) -> tuple[str, ...]:
    return solve(position, PACKS[pack], draw=draw, ace_on_two=ace_on_two, nodes=NODES).line


STRATEGIES: dict[str, Strategy] = {
    "random": Strategy(
        _random,
        "Any move that the rules allow, also with the stock, each equally likely; it takes nothing back, and "
        f"gives up after {MAX_RANDOM_MOVES} moves.",
    ),
    "greedy": Strategy(
        _greedy,
        "The first of these that it can do: turn a card up, send one home, uncover one by moving a run "
        "(where most lie face down), lay the waste's card on a column, draw or turn over; it never breaks "
        "a run, brings nothing back, and gives up when a whole pass of the stock has changed nothing.",
    ),
    "careful": Strategy(
        _careful,
        "The move with the most points in the paper's heuristic, of these one with the highest priority: a "
        "card home or from the waste to a column 5 points, back from a foundation −10; a run that uncovers "
        "a card has as priority the cards face down in its column plus 1, one that empties a column 1, a "
        "card of the waste 1, but a king whose queen (the next lower card of its suit) lies face down −1. "
        "The paper's player sees all cards and has any card of the stock that can be drawn to; this one "
        "sees what a player sees, so it draws where no move has points or priority until a whole pass has "
        "changed nothing, takes an unseen queen to be face down once all other places have been seen, and "
        "counts a card home from the waste, of which the points say nothing, like one from a column. Where "
        "the paper ends a game because a position comes again, it takes another move, and gives up when "
        f"there is none, or after {MAX_ACTIONS} actions.",
        "Yan, Diaconis, Rusmevichientong & Van Roy 2004, Solitaire: Man Versus Machine",
    ),
    "solver": Strategy(
        _solver,
        "A line of play by which the hand is solved: it knows all cards, including the stock and those that "
        "lie face down; where the search finds none it plays like greedy.",
    ),
}
