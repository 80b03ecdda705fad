"""Target the Two: the rules, as one fold from deal and actions to state.

One participant moves both keepers (seat ``solo``), or two a keeper each (seats ``ck`` and ``nk``): the option
``players`` says which. The board has six places: Ck, Target and Nk in the first row, C, UP and N below them
(ruling 1). A deal is ``C Ck UP T N Nk | goal | first``, for example ``3H 2C 2H 4C 4H 3C | 2H | ck``.

Actions, all made by the seat on turn:

``U`` ``C`` ``N`` ``T``  the keeper on turn exchanges with UP, C, N or Target
``P``                    pass
``look ck`` ``look nk``  turn a keeper's face-down card up until the turn passes (ruling 5)
``pick <place>``         a card was picked up by dragging, place one of ``c ck up t n nk``; changes
                         nothing, and is kept because a hesitation is data

Options, as the settings file resolves them (ruling 5; ``settings_file.KEYS`` says what each means):
``MaxRounds`` int, ``ViewCard`` all|mix|none, ``ViewCkNk`` bool, ``DragCkNk`` bool, ``ViewTarget``
bool, ``CardsBackFile`` str; and from the session config ``pay_by`` moves|time,
``time_scale_seconds`` number (the time after which a hand paid by time is worth nothing) and, where two play,
``players`` 2.

Where two play, ViewCard says whose card each of them may see: with ``none`` the own one, with ``mix`` too
until the first exchange of the hand, then both, with ``all`` both (ruling 5, for two). A look is the secret
of who looks. All moves are seen by both, so both may know where each card went that they have seen.
"""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from cardlab.games.cards import TTT_PACK, colour, colour_word, pretty, rank
from cardlab.games.contract import IllegalAction, Result, no_absent_action
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _

PLACES = ("C", "Ck", "UP", "T", "N", "Nk")  # the order of a deal, linear (ruling 2)
KEEPERS = ("ck", "nk")
MOVES = ("U", "C", "N", "T", "P")
SEAT = "solo"
_ALONE = (SEAT,)

KEEPER_PLACE = {"ck": PLACES.index("Ck"), "nk": PLACES.index("Nk")}
MOVE_PLACE = {"U": PLACES.index("UP"), "C": PLACES.index("C"), "N": PLACES.index("N"), "T": PLACES.index("T")}
TARGET = PLACES.index("T")
PICKS = tuple(f"pick {place.lower()}" for place in PLACES)
EXAMPLES = (*MOVES, *PICKS, "look ck", "look nk")

DEFAULT_OPTIONS: dict[str, Any] = {
    "MaxRounds": 20,
    "ViewCard": "all",
    "ViewCkNk": False,
    "DragCkNk": True,
    "ViewTarget": True,
    "CardsBackFile": "dorso1",
    "pay_by": "moves",
    "time_scale_seconds": 60,
}

Layout = tuple[str, ...]  # six cards in the order of PLACES
Card = TypeVar("Card")  # of a layout, str; or None too, where not every card is known


class State(NamedTuple):
    """A hand at one moment. ``looked`` holds the keepers whose face-down card is turned up now, to the seat
    on turn; ``passed_for`` is the seat for which the server has just passed."""

    layout: Layout
    goal: str
    turn: str
    options: dict[str, Any]
    sequence: str = ""
    looked: frozenset[str] = frozenset()
    passed_for: str | None = None

    @property
    def two(self) -> bool:
        """Whether two participants have a keeper each."""
        return bool(self.options.get("players", 1) == 2)

    @property
    def moves(self) -> int:
        """Moves made, passes included (ruling 1)."""
        return len(self.sequence)

    @property
    def solved(self) -> bool:
        """Whether the goal card lies in Target."""
        return self.layout[TARGET] == self.goal


@lru_cache(maxsize=1024)  # the few deals of a session are read for every hand
def parse_deal(text: str) -> tuple[Layout, str, str]:
    """Read ``C Ck UP T N Nk | goal | first``; raise ValueError with a sentence."""
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
    """The deal as one line of text (ruling 0)."""
    return f"{' '.join(layout)} | {goal} | {first}"


def deal(seed: str, options: dict[str, Any]) -> str:
    """A layout drawn by ``seed``, never with the goal already in Target (seed, "DINAMIC game")."""
    goal, first = options.get("Goal", "2H"), options.get("FirstMove", "ck")
    chance = random.Random(seed)
    layout = list(TTT_PACK)
    chance.shuffle(layout)
    while layout[TARGET] == goal:
        chance.shuffle(layout)
    return format_deal(tuple(layout), goal, first)


def start(deal: str, options: dict[str, Any]) -> State:
    """The hand as dealt. Options left out have their default. Raises ValueError with a sentence."""
    layout, goal, first = parse_deal(deal)
    return State(layout, goal, first, {**DEFAULT_OPTIONS, **options})


def seats(state: State) -> tuple[str, ...]:
    """The one seat, whose participant moves both keepers; or the keepers."""
    return KEEPERS if state.two else _ALONE


def waiting_for(state: State) -> tuple[str, ...]:
    """The seat on turn until the hand is over."""
    return () if is_over(state) else (on_turn(state),)


def on_turn(state: State) -> str:
    """The seat that moves the keeper on turn."""
    return state.turn if state.two else SEAT


def other(keeper: str) -> str:
    """The keeper who is on turn next."""
    return "nk" if keeper == "ck" else "ck"


def swap(layout: tuple[Card, ...], a: int, b: int) -> tuple[Card, ...]:
    """The layout with the cards of two places, counted from 0, exchanged."""
    cards = list(layout)
    cards[a], cards[b] = cards[b], cards[a]
    return tuple(cards)


def before_last(state: State) -> State:
    """The state from which the last move was made, without looks."""
    keeper, move = other(state.turn), state.sequence[-1]
    layout = state.layout
    if move != "P":
        layout = swap(layout, KEEPER_PLACE[keeper], MOVE_PLACE[move])
    return State(layout, state.goal, keeper, state.options, state.sequence[:-1])


def dealt_as(state: State) -> tuple[Layout, str]:
    """The layout as it was dealt, and the keeper who moved first: the moves taken back."""
    while state.sequence:
        state = before_last(state)
    return state.layout, state.turn


def may_enter_target(layout: Layout, keeper: str) -> bool:
    """From Ck the two cards need equal colour, from Nk equal number (ruling 1)."""
    own, target = layout[KEEPER_PLACE[keeper]], layout[TARGET]
    return colour(own) == colour(target) if keeper == "ck" else rank(own) == rank(target)


def legal_actions(state: State, seat: str) -> list[str]:
    """The moves open to the keeper on turn, in the order of ``MOVES``; none to another's seat."""
    if is_over(state) or seat != on_turn(state):
        return []
    return [move for move in MOVES if move != "T" or may_enter_target(state.layout, state.turn)]


def apply(state: State, seat: str, action: str) -> State:
    """The state after ``action``; IllegalAction says in a sentence why not."""
    two = state.two
    if seat not in (KEEPERS if two else _ALONE):
        raise IllegalAction(_("This seat does not play in this hand."))
    if is_over(state):
        raise IllegalAction(_("This hand is over."))
    if two and seat != state.turn:
        raise IllegalAction(_("It is your partner’s turn. Please wait."))
    if action not in MOVES:
        if action in PICKS:
            return state
        if action in ("look ck", "look nk"):
            return _look(state, seat, action[-2:])
        raise IllegalAction(_("There is no such move. The moves are U, C, N, T and P."))
    if action == "T" and not may_enter_target(state.layout, state.turn):
        raise IllegalAction(_why_not_into_target(state, seat))
    layout = state.layout
    if action != "P":
        layout = swap(layout, KEEPER_PLACE[state.turn], MOVE_PLACE[action])
    # A robot answers in the same write: what its partner has not been told yet stands.
    passed_for = state.passed_for if state.passed_for and state.turn in _robots(state) else None
    # Not `_replace`, which takes longer: whole tables are played again through here.
    sequence = state.sequence + action
    return State(layout, state.goal, other(state.turn), state.options, sequence, frozenset(), passed_for)


def mark_played_by_server(state: State, seat: str) -> State:
    """The state tells that the server has played for the seat."""
    return state._replace(passed_for=seat)


def absent_action(state: State, seat: str, seed: str) -> str:
    """The server passes for one of two who stays away past the turn's limit (ruling 14)."""
    if seat == SEAT:
        return no_absent_action(state, seat, seed)
    return "P"


def robot_action(state: State, seat: str, robot: str, seed: str) -> str:
    """What a robot plays in the seat of one of two; see ``cardlab.games.ttt.robots``."""
    from cardlab.games.ttt import robots  # which are made of these rules

    return robots.action(state, seat, robot, seed)


def _look(state: State, seat: str, keeper: str) -> State:
    if keeper in face_up(state, seat):
        raise IllegalAction(_("This card already lies face up."))
    if keeper not in may_see(state, seat):
        if state.two:
            raise IllegalAction(_("Your partner’s card may not be looked at now."))
        raise IllegalAction(_("Only the card of the keeper on turn may be looked at now."))
    return state._replace(looked=state.looked | {keeper})


def _why_not_into_target(state: State, seat: str) -> str:
    """The reason a T is refused; it names the keeper's card only if the seat can see it."""
    own, target = state.layout[KEEPER_PLACE[state.turn]], state.layout[TARGET]
    if state.turn == "ck":
        if "ck" in face_up(state, seat):
            return _(
                "Colours differ: {own} is {own_colour} and {target} is {target_colour}. "
                "Ck may exchange with Target only if both cards have the same colour."
            ).format(
                own=pretty(own),
                own_colour=colour_word(own),
                target=pretty(target),
                target_colour=colour_word(target),
            )
        return _("Colours differ: Ck may exchange with Target only if both cards have the same colour.")
    if "nk" in face_up(state, seat):
        return _(
            "Numbers differ: {own} and {target}. "
            "Nk may exchange with Target only if both cards have the same number."
        ).format(own=pretty(own), target=pretty(target))
    return _("Numbers differ: Nk may exchange with Target only if both cards have the same number.")


def may_see(state: State, seat: str) -> tuple[str, ...]:
    """The keepers whose card the seat may see now, face up or by a look (ViewCard, ruling 5)."""
    view_card = state.options["ViewCard"]
    if view_card == "mix":
        view_card = "all" if state.sequence.strip("P") else "none"
    if view_card == "all":
        return KEEPERS
    return (state.turn if seat == SEAT else seat,)


def face_up(state: State, seat: str) -> frozenset[str]:
    """The keepers whose card lies face up to the seat at this moment (ViewCkNk, ruling 5)."""
    if state.options["ViewCkNk"]:
        return frozenset(may_see(state, seat))
    return state.looked if seat == on_turn(state) else frozenset()


def view(state: State, seat: str) -> dict[str, Any]:
    """What the participant sees: ``None`` stands for a card that lies face down.

    ``may_look`` names the keepers that a look would turn up; ``left`` counts the moves that remain. Where two
    play, ``played`` has the moves so far, ``seat`` the keeper of whom it is the view, ``waiting_for`` the
    seat on turn, and ``passed_for`` the seat for which the server has just passed, None if it has not.
    A robot's move comes with the one before it, so ``before_last`` has the cards as the seat saw them between
    the two; None if the last move was no robot's.
    """
    up = face_up(state, seat)
    over = is_over(state)
    may_look = [] if over or seat != on_turn(state) else may_see(state, seat)
    seen = {
        "cards": seen_cards(state, seat),
        "goal": state.goal if state.options["ViewTarget"] else None,
        "turn": None if over else state.turn,
        "may_look": [keeper for keeper in may_look if keeper not in up],
        "moves": state.moves,
        "left": state.options["MaxRounds"] - state.moves,
        "last": state.sequence[-1:] or None,
        "drag_keepers": state.options["DragCkNk"],
        "back": state.options["CardsBackFile"],
    }
    if state.two:
        seen |= {
            "seat": seat,
            "waiting_for": list(waiting_for(state)),
            "played": state.sequence,
            "passed_for": state.passed_for,
            "before_last": _between(state, seat),
        }
    return seen


def _between(state: State, seat: str) -> dict[str, str | None] | None:
    by_robot = state.sequence and other(state.turn) in _robots(state)
    return seen_cards(before_last(state), seat) if by_robot else None


def _robots(state: State) -> dict[str, str]:
    """The seats that robots play, with the robots' names."""
    return state.options.get("robots") or {}


def seen_cards(state: State, seat: str) -> dict[str, str | None]:
    """The card in each place as the seat sees it, None where it lies face down."""
    cards: dict[str, str | None] = dict.fromkeys(PLACES)
    cards["UP"], cards["T"] = state.layout[PLACES.index("UP")], state.layout[TARGET]
    for keeper in face_up(state, seat):
        place = KEEPER_PLACE[keeper]
        cards[PLACES[place]] = state.layout[place]
    return cards


def is_over(state: State) -> bool:
    """Solved, or MaxRounds moves made (ruling 1)."""
    return state.layout[TARGET] == state.goal or len(state.sequence) >= state.options["MaxRounds"]


def result(state: State, seat: str, seconds: float) -> Result:
    """Ruling 4: 1000 × (1 − moves / MaxRounds), rounded half up; 0 for an unsolved hand.

    Paid by time, seconds and ``time_scale_seconds`` take the place of moves and MaxRounds. Two who play
    together have the same score.
    ``outcome`` is ``solved``, ``failed`` or ``open``.
    """
    parts = {"moves": state.moves, "seconds": round(seconds, 3)}
    if not state.solved:
        return Result(0, parts, "failed" if is_over(state) else "open")
    if state.options["pay_by"] == "time":
        used, whole = seconds, state.options["time_scale_seconds"]
    else:
        used, whole = state.moves, state.options["MaxRounds"]
    score = max(0, int(1000 * (whole - used) / whole + 0.5))
    return Result(score, parts, "solved")
