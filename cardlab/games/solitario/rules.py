"""The rules of Solitario: a fold from the deal over the actions to the state.

One player brings a pack home, suit by suit from the ace, from seven columns and a stock (rulings 22–25).
``deal.py`` describes the deal, ``columns 1–7 | stock``, and the options.

The actions of the seat ``solo``, with columns numbered from 1, are:

``draw``         the next card, or three cards, from the stock to the waste
``turn``         turns the waste over to be the stock again, when the stock is empty; draws nothing
``up 3``         turns up the uncovered card of column 3 (with ``turn_up`` auto it turns up automatically)
``home 3``       the last card of column 3 to its foundation; ``home w`` the waste's top card
``home 3 2``     the same to the second of the four foundations, chosen by the player: a free one for an ace,
                 else the one of its suit. ``home d 2``: the ace of denari, alone on its foundation, to
                 another free one. The place of a foundation has no effect
``finish 3``     the same as ``home 3``, by the button that finishes the hand; only the view's ``finish``
``move 3 5 2``   the last two cards of column 3 to column 5
``move w 5``     the waste's top card to column 5
``back d 5``     the top card of the foundation of denari to column 5
``undo``         takes back the last of all these, with its points (with the option ``undo``)
``give up``      ends the hand
``pick w`` ``pick 3 2`` ``pick d``  the waste's card, the last two of column 3 or a foundation's card was
                 picked up by dragging; changes nothing, and is recorded as a sign of hesitation
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_absent_action as absent_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_forced_action as forced_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_robot_action as robot_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_server_mark as mark_played_by_server  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _
from cardlab.games.solitario.deal import COLUMNS, complete_options, draw_deal, format_deal, parse_deal
from cardlab.games.solitario.packs import PACKS, Pack, card_name, suit_name
from cardlab.games.solitario.scoring import Counts, bonus, score
from cardlab.games.solitario.solver import Position

SEAT = "solo"
DRAW, TURN, UNDO, GIVE_UP = "draw", "turn", "undo", "give up"
WASTE = "w"
EXAMPLES = (
    *(DRAW, TURN, "up 3", "home 3", "home w", "home 3 2", "home d 2", "move 3 5 2", "move w 5", "back d 5"),
    *("finish 3", UNDO, GIVE_UP, "pick w", "pick 3 2", "pick d"),
)

MAX_MOVES = 5000  # per hand, so that endless drawing cannot fill the disk

NUMBERS = range(1, COLUMNS + 1)
FOUNDATIONS = range(1, 5)
_SUITS = tuple(dict.fromkeys(suit for pack in PACKS.values() for suit in pack.suits))
_RUN = range(1, max(len(pack.ranks) for pack in PACKS.values()) + 1)  # possible lengths

# Parsed actions by their text.
_UPS = {f"up {n}": n for n in NUMBERS}
_HOMES: dict[str, tuple[str, int | None]] = {
    **{f"home {source}": (str(source), None) for source in (*NUMBERS, WASTE)},
    **{f"home {source} {n}": (str(source), n) for source in (*NUMBERS, WASTE, *_SUITS) for n in FOUNDATIONS},
}
_FINISHES = {f"finish {n}": str(n) for n in NUMBERS}
_MOVES: dict[str, tuple[str, int, int]] = {
    **{f"move {a} {b} {k}": (str(a), b, k) for a in NUMBERS for b in NUMBERS for k in _RUN},
    **{f"move {WASTE} {b}": (WASTE, b, 1) for b in NUMBERS},
}
_BACKS = {f"back {suit} {n}": (suit, n) for suit in _SUITS for n in NUMBERS}
PICKS = frozenset(
    [*(f"pick {n} {k}" for n in NUMBERS for k in _RUN), *(f"pick {pile}" for pile in (WASTE, *_SUITS))]
)


class Column(NamedTuple):
    """A column: its face-down and its face-up cards, bottom card first."""

    down: tuple[str, ...]
    up: tuple[str, ...]


class Source(NamedTuple):
    """The cards that an action takes, the bottom card first, and the state without them."""

    cards: tuple[str, ...]
    rest: State


@dataclass(frozen=True, slots=True)
class State:
    """The state of a hand.

    ``foundations`` has the suit on each of the four foundations, "" for none; ``home`` counts the home cards
    of each suit of the pack. The top card of ``waste`` is the last, that of ``stock`` the first. ``moves``
    counts the actions except giving up, ``undone`` the undos; ``before`` is the state to go back to, with the
    option ``undo``.
    """

    columns: tuple[Column, ...]
    stock: tuple[str, ...]
    options: dict[str, Any]
    waste: tuple[str, ...] = ()
    foundations: tuple[str, ...] = ("",) * len(FOUNDATIONS)
    home: tuple[int, ...] = (0,) * len(FOUNDATIONS)
    counts: Counts = Counts()
    moves: int = 0
    undone: int = 0
    last: str = ""
    gave_up: bool = False
    before: State | None = field(default=None, repr=False, compare=False)

    @property
    def pack(self) -> Pack:
        """The pack of the hand."""
        return PACKS[self.options["pack"]]

    @property
    def solved(self) -> bool:
        """Whether all cards are home."""
        return sum(self.home) == len(self.pack.cards)

    @property
    def position(self) -> Position:
        """The table with all cards, for the solver."""
        return Position(self.columns, self.home, self.waste, self.stock)

    def home_of(self, suit: str) -> int:
        """Counts the home cards of a suit."""
        return self.home[self.pack.suits.index(suit)]


def deal(seed: str, options: dict[str, Any]) -> str:
    """Draws columns and stock by ``seed`` (ruling 22)."""
    return format_deal(draw_deal(seed, PACKS[complete_options(options)["pack"]]))


def start(deal: str, options: dict[str, Any]) -> State:
    """Returns the state after the deal. Missing options have their default. Raises ValueError."""
    options = complete_options(options)
    columns, stock = parse_deal(deal, PACKS[options["pack"]])
    return State(tuple(Column(cards[:-1], cards[-1:]) for cards in columns), stock, options)


def seats(state: State) -> tuple[str, ...]:
    """Returns the only seat, ``solo``."""
    return (SEAT,)


def waiting_for(state: State) -> tuple[str, ...]:
    """Returns the seat until all cards are home or the player gives up."""
    return () if is_over(state) else (SEAT,)


# Legal actions.


def legal_actions(state: State, seat: str) -> list[str]:
    """Returns the moves, without a choice of foundation, then ``undo`` if possible, and ``give up``."""
    if is_over(state):
        return []
    if state.moves >= MAX_MOVES:
        return [GIVE_UP]
    undo_actions = [UNDO] if state.before is not None else []
    return [*legal_moves(state), *undo_actions, GIVE_UP]


def legal_moves(state: State) -> Iterator[str]:
    """Yields the legal moves of cards."""
    columns, pack = state.columns, state.pack
    if state.stock:
        yield DRAW
    elif state.waste:
        yield TURN
    yield from (f"up {n}" for n, column in zip(NUMBERS, columns) if column.down and not column.up)
    end_cards = {WASTE: state.waste[-1:], **{str(n): column.up[-1:] for n, column in zip(NUMBERS, columns)}}
    for source, end in end_cards.items():
        if end and _is_next(state, end[0]):
            yield f"home {source}"
    accepted_by_pile = {to: _accepted_cards(state, target) for to, target in zip(NUMBERS, columns)}
    anywhere = {card for cards in accepted_by_pile.values() for card in cards}
    for n, column in zip(NUMBERS, columns):
        for k in range(len(column.up), 0, -1):
            if (card := column.up[-k]) in anywhere:
                yield from (
                    f"move {n} {to} {k}"
                    for to, cards in accepted_by_pile.items()
                    if to != n and card in cards
                )
    tops = [pack.ranks[count - 1] + suit for suit, count in zip(pack.suits, state.home) if count]
    for to, cards in accepted_by_pile.items():
        if state.waste and state.waste[-1] in cards:
            yield f"move {WASTE} {to}"
        yield from (f"back {card[-1]} {to}" for card in tops if card in cards)


def _is_next(state: State, card: str) -> bool:
    """Returns whether the card is the next of its suit on the foundation."""
    return state.home_of(card[-1]) == state.pack.rank_of(card)


def _accepted_cards(state: State, column: Column) -> tuple[str, ...]:
    """Returns the cards that may be laid on a column (ruling 23)."""
    pack = state.pack
    if not column.up:
        return () if column.down else pack.kings
    on = column.up[-1]
    return pack.next_lower[on] if pack.rank_of(on) > 1 or state.options["ace_on_two"] else ()


def _reason_not_on(card: str, column: Column, pack: Pack) -> str:
    """Returns the reason why a card may not be laid on a column."""
    if not column.up:
        if column.down:
            return _("First turn up the card that is there.")
        return _("Only a king may go to an empty column.")
    on = column.up[-1]
    if pack.rank_of(on) != pack.rank_of(card) + 1 or pack.is_red(on) == pack.is_red(card):
        return _(
            "The {card} does not go on the {other}. Each card must be one lower and of the other colour."
        ).format(card=card_name(card), other=card_name(on))
    return _("An ace goes to a foundation, not to a column.")


# Effects of actions.


def apply(state: State, seat: str, action: str) -> State:
    """Returns the state after ``action``. Raises IllegalAction."""
    if seat != SEAT:
        raise IllegalAction(_("This seat does not play in this hand."))
    if is_over(state):
        raise IllegalAction(_("This hand is over."))
    if action in PICKS:
        return state
    if state.moves >= MAX_MOVES and action != GIVE_UP:
        raise IllegalAction(_("You have used all the moves of this hand. You can only give up."))
    if action == UNDO:
        return _undo(state)
    next_state = _apply_move(state, action)
    if state.options["turn_up"] == "auto":
        next_state = _turn_up_cards(next_state)
    undo_state = state if state.options["undo"] else None
    moves = state.moves + (action != GIVE_UP)
    return replace(next_state, moves=moves, last=action, before=undo_state)


def _apply_move(state: State, action: str) -> State:
    if action == DRAW:
        return _draw(state)
    if action == TURN:
        return _turn(state)
    if action in _UPS:
        return _up(state, _UPS[action])
    if action in _HOMES:
        return _home(state, *_HOMES[action])
    if action in _FINISHES:
        return _finish(state, action)
    if action in _MOVES:
        return _move(state, *_MOVES[action])
    if action in _BACKS:
        return _back(state, *_BACKS[action])
    if action == GIVE_UP:
        return replace(state, gave_up=True)
    raise IllegalAction(_("Unknown move. Drag a card or draw from the stock."))


def _draw(state: State) -> State:
    if not state.stock:
        raise IllegalAction(_("The stock is empty.") if not state.waste else _("Turn over the stock first."))
    count = state.options["draw"]
    return replace(state, waste=state.waste + state.stock[:count], stock=state.stock[count:])


def _turn(state: State) -> State:
    if state.stock:
        raise IllegalAction(_("You can turn over the stock only when it is empty."))
    if not state.waste:
        raise IllegalAction(_("There are no cards left to turn over."))
    return replace(state, waste=(), stock=state.waste, counts=_count_event(state, "turn_overs"))


def _up(state: State, number: int) -> State:
    column = state.columns[number - 1]
    if column.up:
        raise IllegalAction(_("You can turn up a card only when no card lies on it."))
    if not column.down:
        raise IllegalAction(_("There is no card to turn up."))
    turned_column = Column(column.down[:-1], column.down[-1:])
    return replace(
        state, columns=_replace_column(state, number, turned_column), counts=_count_event(state, "turned_up")
    )


def _turn_up_cards(state: State) -> State:
    for number, column in zip(NUMBERS, state.columns):
        if column.down and not column.up:
            state = _up(state, number)
    return state


def _home(state: State, source: str, place: int | None) -> State:
    if source in _SUITS:
        return _shift(state, source, place)
    (card,), state_without = _take(state, source, 1)
    suit = card[-1]
    if not _is_next(state, card):
        next_card = state.pack.ranks[state.home_of(suit)] + suit
        raise IllegalAction(
            _("The {card} cannot go home yet. The {wanted} must go first.").format(
                card=card_name(card), wanted=card_name(next_card)
            )
        )
    if suit in state.foundations:
        if place is not None and state.foundations[place - 1] != suit:
            raise IllegalAction(
                _("There is already a foundation for {suit}. Put the card there.").format(
                    suit=suit_name(suit)
                )
            )
        foundations = state.foundations
    else:
        foundations = _open_foundation(state.foundations, suit, place)
    return replace(
        state_without,
        foundations=foundations,
        home=_with_home(state, suit, +1),
        counts=_count_event(state, "sent_home"),
    )


def _finish(state: State, action: str) -> State:
    if action != finishing_move(state):
        raise IllegalAction(_("The last cards cannot go home one by one yet."))
    return _home(state, _FINISHES[action], None)


def _open_foundation(foundations: tuple[str, ...], suit: str, place: int | None) -> tuple[str, ...]:
    """Returns the foundations with a suit on the chosen one, or on the first free one."""
    place = foundations.index("") + 1 if place is None else place
    if foundations[place - 1]:
        raise IllegalAction(_("That foundation has another suit. Choose an empty foundation."))
    return (*foundations[: place - 1], suit, *foundations[place:])


def _shift(state: State, suit: str, place: int | None) -> State:
    """Moves an ace from foundation to foundation, without points (ruling 24)."""
    if suit not in state.foundations:
        raise IllegalAction(_("There is no card to move."))
    if state.home_of(suit) > 1:
        raise IllegalAction(_("Only an ace with no card on it may go to another foundation."))
    freed = tuple("" if other_suit == suit else other_suit for other_suit in state.foundations)
    if place is not None and state.foundations[place - 1] == suit:
        raise IllegalAction(_("The card is already there."))
    return replace(state, foundations=_open_foundation(freed, suit, place))


def _move(state: State, source: str, to: int, count: int) -> State:
    if source == str(to):
        raise IllegalAction(_("The card is already there."))
    cards, state_without = _take(state, source, count)
    target = state_without.columns[to - 1]
    if cards[0] not in _accepted_cards(state, target):
        raise IllegalAction(_reason_not_on(cards[0], target, state.pack))
    next_state = replace(
        state_without, columns=_replace_column(state_without, to, target._replace(up=target.up + cards))
    )
    return replace(next_state, counts=_count_event(state, "from_stock")) if source == WASTE else next_state


def _back(state: State, suit: str, to: int) -> State:
    if suit not in state.foundations:
        raise IllegalAction(_("There is no card to bring back."))
    card = state.pack.ranks[state.home_of(suit) - 1] + suit
    target = state.columns[to - 1]
    if card not in _accepted_cards(state, target):
        raise IllegalAction(_reason_not_on(card, target, state.pack))
    home = _with_home(state, suit, -1)
    emptied = suit if home[state.pack.suits.index(suit)] == 0 else None
    return replace(
        state,
        columns=_replace_column(state, to, target._replace(up=(*target.up, card))),
        home=home,
        foundations=tuple("" if other_card == emptied else other_card for other_card in state.foundations),
        counts=_count_event(state, "brought_back"),
    )


def _undo(state: State) -> State:
    if not state.options["undo"]:
        raise IllegalAction(_("You cannot undo moves in this hand."))
    if state.before is None:
        raise IllegalAction(_("There is no move to undo."))
    return replace(state.before, moves=state.moves + 1, undone=state.undone + 1, last=UNDO)


def _take(state: State, source: str, count: int) -> Source:
    """Takes the last cards of a column, or the waste's top card. Raises IllegalAction."""
    if source == WASTE:
        if not state.waste:
            raise IllegalAction(_("The waste is empty. Draw a card first."))
        return Source(state.waste[-1:], replace(state, waste=state.waste[:-1]))
    number = int(source)
    column = state.columns[number - 1]
    if not column.up and column.down:
        raise IllegalAction(_("Turn up the card first."))
    if count > len(column.up):
        raise IllegalAction(_("You can move only cards that are face up."))
    remaining = column._replace(up=column.up[:-count])
    return Source(column.up[-count:], replace(state, columns=_replace_column(state, number, remaining)))


def _replace_column(state: State, number: int, column: Column) -> tuple[Column, ...]:
    return (*state.columns[: number - 1], column, *state.columns[number:])


def _with_home(state: State, suit: str, more: int) -> tuple[int, ...]:
    return tuple(
        count + more * (other == suit) for other, count in zip(state.pack.suits, state.home, strict=True)
    )


def _count_event(state: State, event: str) -> Counts:
    return state.counts._replace(**{event: getattr(state.counts, event) + 1})


# View and result.


def view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view of the player. Face-down cards appear only as numbers.

    ``columns`` have the number of cards ``down`` and the cards ``up``, bottom card first. ``foundations`` has
    the top card of each, None if empty. ``waste`` has the top cards, as many as are drawn at a time, the top
    one last, of ``waste_count``. ``points`` is the score without time and bonus, ``counts`` are its events.
    ``may_undo`` says whether a move can be taken back, None if the option is off. ``ace_on_two`` is the
    option. ``finish`` is the next action that finishes the hand (:func:`finishing_move`).
    """
    pack = state.pack
    return {
        "columns": [{"down": len(column.down), "up": list(column.up)} for column in state.columns],
        "foundations": [
            pack.ranks[state.home_of(suit) - 1] + suit if suit else None for suit in state.foundations
        ],
        "waste": list(state.waste[-state.options["draw"] :]),
        "waste_count": len(state.waste),
        "stock": len(state.stock),
        "points": state.counts.points,
        "counts": state.counts._asdict(),
        "cards_home": sum(state.home),
        "cards": len(pack.cards),
        "ace_on_two": state.options["ace_on_two"],
        "moves": state.moves,
        "undone": state.undone,
        "may_undo": state.before is not None if state.options["undo"] else None,
        "last": state.last,
        "finish": finishing_move(state),
    }


def finishing_move(state: State) -> str | None:
    """Returns the next action home if all remaining cards can certainly go home one by one; else None.

    This is the case when all of them are face up in columns. Columns descend in rank, so the lowest remaining
    card is the last of its column and the next of its foundation.
    """
    cards_left = len(state.pack.cards) - sum(state.home)
    hidden = any(column.down for column in state.columns)
    if is_over(state) or state.stock or state.waste or hidden or state.moves + cards_left > MAX_MOVES:
        return None
    end_cards = ((n, column.up[-1]) for n, column in zip(NUMBERS, state.columns) if column.up)
    return next((f"finish {n}" for n, card in end_cards if _is_next(state, card)), None)


def is_over(state: State) -> bool:
    """Returns whether all cards are home or the player has given up."""
    return state.gave_up or state.solved


def result(state: State, seat: str, seconds: float) -> Result:
    """Returns the score (ruling 24); the seconds are rounded down.

    ``parts`` has the counts of the score's events, the seconds, the bonus and the cards home. ``outcome`` is
    ``solved``, ``gave_up`` or ``open``.
    """
    whole_seconds = int(seconds)
    parts = {
        **state.counts._asdict(),
        "seconds": whole_seconds,
        "bonus": bonus(state.counts, whole_seconds) if state.solved else 0,
        "cards_home": sum(state.home),
    }
    outcome = "solved" if state.solved else "gave_up" if state.gave_up else "open"
    return Result(score(state.counts, whole_seconds, state.solved), parts, outcome)
