"""The rules of Triangle Solitaire: a fold from the deal over the actions to the state.

One player replaces the Singles of a triangle by the Completes of a deck (rulings 15–18). ``deal.py``
describes the deal, ``places 1–27 | spares | deck``, and the options.

The actions of the seat ``solo`` are:

``place 14``     Puts the revealed card in place 14. A Complete replaces the Singles there; a Single of the
                 deck (variation 2) joins the Single there.
``discard``      Discards the revealed card if it fits nowhere: a Complete to the discards, a Single to the
                 spares. The player has no choice, so the server does it (``forced_action``).
``mark H 14``    Lays a spare Single beside place 14 as a reminder.
``unmark H 14``  Takes it back. When the place is filled, its reminders go back to the spares automatically.
``pick card`` ``pick H``  The player started to drag the revealed card, a spare Single or a reminder. It
                 changes nothing, and is recorded as a sign of hesitation.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from cardlab.games.contract import IllegalAction, Result
from cardlab.games.contract import no_absent_action as absent_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_engine_question as engine_question  # noqa: F401 part of the contract
from cardlab.games.contract import no_robot_action as robot_action  # noqa: F401 part of the contract
from cardlab.games.contract import no_server_mark as mark_played_by_server  # noqa: F401 part of the contract
from cardlab.games.sentence import sentence as _
from cardlab.games.triangle.deal import complete_options, draw_deal, format_deal, parse_deal
from cardlab.games.triangle.loop import NUMBERS, SIDES, Places, content_of, fitting_places, with_content
from cardlab.games.triangle.packs import COMPLETES, KIND, SINGLES, card_name, fits, is_complete
from cardlab.games.triangle.scoring import Score, score

SEAT = "solo"
DISCARD = "discard"
PLACES = {f"place {number}": number for number in NUMBERS}
MARKS = {f"mark {single} {number}": (single, number) for single in SINGLES for number in NUMBERS}
PICKS = ("pick card", *(f"pick {single}" for single in SINGLES))
UNMARKS = {f"un{mark}": those for mark, those in MARKS.items()}
EXAMPLES = ("place 14", DISCARD, "mark H 14", "unmark H 14", "pick card", "pick H")

NO_MARKS = ((),) * len(NUMBERS)


class LastPlacement(NamedTuple):
    """The last placed card, its place, the Singles that it replaced, and the cards discarded since.

    Before the first placement, ``card`` and ``place`` are None.
    """

    card: str | None = None
    place: int | None = None
    replaced: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """The state of a hand. The first card of ``deck`` is revealed, the others are hidden.

    ``marks`` has the reminders beside each place; ``spares`` is in the order of ``SINGLES``.
    """

    places: Places
    spares: tuple[str, ...]
    deck: tuple[str, ...]
    options: dict[str, Any]
    marks: tuple[tuple[str, ...], ...] = NO_MARKS
    discards: tuple[str, ...] = ()
    last: LastPlacement = LastPlacement()

    @property
    def card(self) -> str | None:
        """The revealed card; None when the hand is over."""
        return self.deck[0] if self.deck else None

    @property
    def fitting_places(self) -> list[int]:
        """The places where the revealed card fits."""
        return fitting_places(self.places, self.card) if self.card else []

    @property
    def score(self) -> Score:
        """The current score."""
        return score(self.places, len(self.discards))

    @property
    def coming_completes(self) -> list[str]:
        """The coming Completes, in an order that does not reveal that of the deck."""
        return [card for card in COMPLETES if card in self.deck[1:]]


def deal(seed: str, options: dict[str, Any]) -> str:
    """Draws places, spares and deck by ``seed``, in the variation of the options (ruling 18)."""
    return format_deal(draw_deal(seed, complete_options(options)))


def start(deal: str, options: dict[str, Any]) -> State:
    """Returns the state after the deal. Missing options have their default. Raises ValueError."""
    places, spares, deck = parse_deal(deal)
    return State(places, _sort(spares), deck, complete_options(options))


def seats(state: State) -> tuple[str, ...]:
    """Returns the only seat, ``solo``."""
    return (SEAT,)


def waiting_for(state: State) -> tuple[str, ...]:
    """Returns the seat until all cards have been played."""
    return () if is_over(state) else (SEAT,)


def forced_action(state: State) -> str | None:
    """Returns ``discard`` if the revealed card fits nowhere (ruling 16), else None."""
    return DISCARD if state.card and not state.fitting_places else None


def legal_actions(state: State, seat: str) -> list[str]:
    """Returns a ``place`` for each fitting place, clockwise from place 1; ``discard`` if there is none."""
    if is_over(state):
        return []
    return [f"place {number}" for number in state.fitting_places] or [DISCARD]


def apply(state: State, seat: str, action: str) -> State:
    """Returns the state after ``action``. Raises IllegalAction."""
    if seat != SEAT:
        raise IllegalAction(_("This seat does not play in this hand."))
    if is_over(state):
        raise IllegalAction(_("This hand is over."))
    if action in PICKS:
        return state
    if action in PLACES:
        return _place(state, PLACES[action])
    if action == DISCARD:
        return _discard(state)
    if action in MARKS:
        return _mark(state, *MARKS[action])
    if action in UNMARKS:
        return _unmark(state, *UNMARKS[action])
    raise IllegalAction(_("Unknown move. Place the card or add a reminder."))


def _place(state: State, number: int) -> State:
    card, content = state.deck[0], content_of(state.places, number)
    if not fits(card, content):
        raise IllegalAction(_reason_not_to_fit(card, content))
    if not is_complete(card):
        return replace(
            state,
            places=with_content(state.places, number, content + card),
            deck=state.deck[1:],
            last=LastPlacement(card, number),
        )
    return replace(
        state,
        places=with_content(state.places, number, card),
        spares=_sort((*state.spares, *content, *state.marks[number - 1])),
        deck=state.deck[1:],
        marks=_with_marks(state, number, ()),
        last=LastPlacement(card, number, tuple(content)),
    )


def _reason_not_to_fit(card: str, content: str) -> str:
    if is_complete(content):
        return _("A full card is already there.")
    if is_complete(card) and len(content) == 1:
        return _("The {card} does not fit there: it is not “{single}”.").format(
            card=card_name(card), single=card_name(content)
        )
    if is_complete(card):
        first, second = map(card_name, content)
        return _("The {card} does not fit there: it is not both “{one}” and “{other}”.").format(
            card=card_name(card), one=first, other=second
        )
    if len(content) == 2:
        return _("There are already two feature cards there. A third is not allowed.")
    if KIND[card] == "fill":
        return _("A place cannot have two fillings. Choose a place with a colour or a shape.")
    if KIND[card] == "colour":
        return _("A place cannot have two colours. Choose a place with a filling or a shape.")
    return _("A place cannot have two shapes. Choose a place with a filling or a colour.")


def _discard(state: State) -> State:
    card = state.deck[0]
    if state.fitting_places:
        raise IllegalAction(_("This card still fits somewhere. You have to place it."))
    discards, spares = state.discards, state.spares
    if is_complete(card):
        discards = (*discards, card)
    else:
        spares = _sort((*spares, card))
    last = state.last._replace(discarded=(*state.last.discarded, card))
    return replace(state, spares=spares, deck=state.deck[1:], discards=discards, last=last)


def _mark(state: State, single: str, number: int) -> State:
    if is_complete(content_of(state.places, number)):
        raise IllegalAction(_("A full card is already there. You need no reminder."))
    if single not in state.spares:
        raise IllegalAction(_("You have no spare card “{single}” left.").format(single=card_name(single)))
    marks = _sort((*state.marks[number - 1], single))
    return replace(state, spares=_without(state.spares, single), marks=_with_marks(state, number, marks))


def _unmark(state: State, single: str, number: int) -> State:
    marks = state.marks[number - 1]
    if single not in marks:
        raise IllegalAction(
            _("There is no reminder “{single}” at this place.").format(single=card_name(single))
        )
    return replace(
        state,
        spares=_sort((*state.spares, single)),
        marks=_with_marks(state, number, _without(marks, single)),
    )


def _with_marks(state: State, number: int, marks: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return (*state.marks[: number - 1], marks, *state.marks[number:])


def _sort(singles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(singles, key=SINGLES.index))


def _without(singles: tuple[str, ...], single: str) -> tuple[str, ...]:
    index = singles.index(single)
    return (*singles[:index], *singles[index + 1 :])


def view(state: State, seat: str) -> dict[str, Any]:
    """Returns the view of the player.

    ``places`` are 1–27 clockwise from the upper left, each with its ``side``, its ``singles`` (the bottom one
    first) or the ``complete`` that replaced them, and the ``marks`` beside it. ``card`` is the revealed card,
    ``cards_left`` the number of cards under it. ``spares`` has the numbers of spare Singles. ``fits`` has the
    fitting places, None without ``highlight``. ``left`` has the coming Completes, None without ``show_left``.
    ``last`` has the last placed card, the cards that it replaced, and the discards since.
    """
    return {
        "places": [_view_place(state, side, number) for side, numbers in SIDES.items() for number in numbers],
        "card": state.card,
        "spares": {single: state.spares.count(single) for single in SINGLES},
        "cards_left": max(0, len(state.deck) - 1),
        "discards": list(state.discards),
        "score": _view_score(state.score),
        "fits": state.fitting_places if state.options["highlight"] else None,
        "left": state.coming_completes if state.options["show_left"] else None,
        "last": {
            "card": state.last.card,
            "place": state.last.place,
            "replaced": list(state.last.replaced),
            "discarded": list(state.last.discarded),
        },
    }


def _view_place(state: State, side: str, number: int) -> dict[str, Any]:
    content = content_of(state.places, number)
    filled = is_complete(content)
    return {
        "place": number,
        "side": side,
        "singles": [] if filled else list(content),
        "complete": content if filled else None,
        "marks": list(state.marks[number - 1]),
    }


def _view_score(score: Score) -> dict[str, Any]:
    return {
        "total": score.total,
        "points": score.points,
        "sides": score.sides,
        "corners": score.corners,
        "joints": list(score.joints),
    }


def is_over(state: State) -> bool:
    """Returns whether the deck is empty."""
    return not state.deck


def result(state: State, seat: str, seconds: float) -> Result:
    """Returns the current score (ruling 17), also of an unfinished hand.

    ``parts`` has the matching sides and corners, the discontinuities, the discarded and the placed Completes,
    and the seconds. ``outcome`` is ``completed`` or ``open``.
    """
    placed = sum(map(is_complete, state.places))
    parts = {**state.score.counts, "placed": placed, "seconds": round(seconds, 3)}
    return Result(state.score.total, parts, "completed" if is_over(state) else "open")
