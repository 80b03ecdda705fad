"""Defines the board of Target the Two: cards, keepers, moves, and the state of a hand (ruling 1).

``rules`` adds the functions of the contract of a game.
"""

from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from cardlab.games.cards import TTT_PACK, colour, rank

PLACES = ("C", "Ck", "UP", "T", "N", "Nk")  # the order of a deal, linear (ruling 2)
KEEPERS = ("ck", "nk")
MOVES = ("U", "C", "N", "T", "P")
SEAT = "solo"

KEEPER_PLACE = {"ck": PLACES.index("Ck"), "nk": PLACES.index("Nk")}
MOVE_PLACE = {"U": PLACES.index("UP"), "C": PLACES.index("C"), "N": PLACES.index("N"), "T": PLACES.index("T")}
TARGET = PLACES.index("T")

Layout = tuple[str, ...]  # six cards in the order of PLACES
Card = TypeVar("Card")  # str, or None for an unknown card


class State(NamedTuple):
    """The state of a hand.

    ``turn`` is the keeper to move, ``sequence`` has the moves so far. ``looked`` has the keepers whose
    face-down card the seat on turn has turned up. ``passed_for`` is the seat for which the server has just
    passed.
    """

    layout: Layout
    goal: str
    turn: str
    options: dict[str, Any]
    sequence: str = ""
    looked: frozenset[str] = frozenset()
    passed_for: str | None = None

    @property
    def two(self) -> bool:
        """Whether two participants play, with a keeper each."""
        return bool(self.options.get("players", 1) == 2)

    @property
    def moves(self) -> int:
        """The number of moves so far; a pass is a move (ruling 1)."""
        return len(self.sequence)

    @property
    def solved(self) -> bool:
        """Whether the goal card is in Target."""
        return self.layout[TARGET] == self.goal


@lru_cache(maxsize=1024)  # a session has few deals, which are parsed for every hand
def parse_deal(text: str) -> tuple[Layout, str, str]:
    """Parses ``C Ck UP T N Nk | goal | first`` (ruling 0). Raises ValueError."""
    sections = [section.split() for section in text.split("|")]
    if len(sections) != 3 or len(sections[1]) != 1 or len(sections[2]) != 1:
        raise ValueError(f"A deal reads 'C Ck UP T N Nk | goal | first', not '{text}'.")
    layout, (goal,), (first,) = tuple(sections[0]), sections[1], sections[2]
    if sorted(layout) != sorted(TTT_PACK):
        raise ValueError(f"The layout must hold each of {' '.join(TTT_PACK)} once, not '{' '.join(layout)}'.")
    if goal not in TTT_PACK:
        raise ValueError(f"The goal must be one of {' '.join(TTT_PACK)}, not '{goal}'.")
    if first not in KEEPERS:
        raise ValueError(f"The first mover must be ck or nk, not '{first}'.")
    return layout, goal, first


def format_deal(layout: Layout, goal: str, first: str) -> str:
    """Returns the deal as one line of text (ruling 0)."""
    return f"{' '.join(layout)} | {goal} | {first}"


def on_turn(state: State) -> str:
    """Returns the seat that moves the keeper on turn."""
    return state.turn if state.two else SEAT


def other(keeper: str) -> str:
    """Returns the other keeper."""
    return "nk" if keeper == "ck" else "ck"


def swap(layout: tuple[Card, ...], a: int, b: int) -> tuple[Card, ...]:
    """Returns the layout with the cards of two places, indices into ``PLACES``, exchanged."""
    cards = list(layout)
    cards[a], cards[b] = cards[b], cards[a]
    return tuple(cards)


def layout_after(layout: tuple[Card, ...], keeper: str, move: str) -> tuple[Card, ...]:
    """Returns the layout after a legal move of the keeper."""
    return layout if move == "P" else swap(layout, KEEPER_PLACE[keeper], MOVE_PLACE[move])


def before_last(state: State) -> State:
    """Returns the state before the last move, without looks."""
    keeper, move = other(state.turn), state.sequence[-1]
    layout = layout_after(state.layout, keeper, move)  # an exchange undoes itself
    return State(layout, state.goal, keeper, state.options, state.sequence[:-1])


def initial_layout(state: State) -> tuple[Layout, str]:
    """Returns the dealt layout and the keeper who moved first."""
    while state.sequence:
        state = before_last(state)
    return state.layout, state.turn


def may_enter_target(layout: Layout, keeper: str) -> bool:
    """Returns whether the keeper may exchange with Target."""
    return fits_target(layout[KEEPER_PLACE[keeper]], layout[TARGET], keeper)


def fits_target(card: str, target: str, keeper: str) -> bool:
    """Returns whether the keeper may exchange a card with the one in Target (ruling 1).

    Ck needs equal colours, Nk equal numbers.
    """
    return colour(card) == colour(target) if keeper == "ck" else rank(card) == rank(target)


def is_over(state: State) -> bool:
    """Returns whether the hand is solved or has MaxRounds moves (ruling 1)."""
    return state.layout[TARGET] == state.goal or len(state.sequence) >= state.options["MaxRounds"]


def may_see(state: State, seat: str) -> tuple[str, ...]:
    """Returns the keepers whose card the seat may see now, face up or with a look (ViewCard, ruling 5)."""
    view_card = state.options["ViewCard"]
    if view_card == "mix":
        view_card = "all" if state.sequence.strip("P") else "none"
    if view_card == "all":
        return KEEPERS
    return (state.turn if seat == SEAT else seat,)


def face_up(state: State, seat: str) -> frozenset[str]:
    """Returns the keepers whose card is face up to the seat now (ViewCkNk, ruling 5)."""
    if state.options["ViewCkNk"]:
        return frozenset(may_see(state, seat))
    return state.looked if seat == on_turn(state) else frozenset()


def may_look(state: State, seat: str) -> list[str]:
    """Returns the keepers whose card the seat could turn up with a look (ruling 5)."""
    if is_over(state) or seat != on_turn(state):
        return []
    up = face_up(state, seat)
    return [keeper for keeper in may_see(state, seat) if keeper not in up]
