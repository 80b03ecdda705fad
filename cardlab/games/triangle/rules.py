"""Triangle Solitaire: the rules, as one fold from deal and actions to state.

One player replaces the Singles of a triangle by the Completes of a deck (rulings 15–18). A deal is
``places 1–27 | spares | deck``; ``deal.py`` says more of it, and of the options: ``doubled`` 0–9,
``mixed_in`` 0–9, ``highlight`` bool, ``show_left`` bool.

Actions, all of the one seat ``solo``:

``place 14``     put the revealed card into place 14: a Complete in exchange for the Single there, or for
                 both of two; a Single of the deck (variation 2) beside the Single there
``discard``      put the revealed card away, when it fits nowhere and only then: a Complete to the discards,
                 a Single to the spares. Nobody decides it, so the server does it (``forced_action``)
``mark H 14``    lay a spare Single beside place 14 as a reminder
``unmark H 14``  take it back; when the place is filled, its reminders go back by themselves
``pick card`` ``pick H``  the revealed card, a spare Single or a reminder was picked up by dragging; changes
                 nothing, and is kept because a hesitation is data
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
from cardlab.games.triangle.deal import complete, draw, format_deal, parse_deal
from cardlab.games.triangle.loop import NUMBERS, SIDES, Places, at, fitting, laid
from cardlab.games.triangle.packs import COMPLETES, KIND, SINGLES, called, fits, is_complete
from cardlab.games.triangle.scoring import Score, score

SEAT = "solo"
DISCARD = "discard"
PLACES = {f"place {number}": number for number in NUMBERS}
MARKS = {f"mark {single} {number}": (single, number) for single in SINGLES for number in NUMBERS}
PICKS = ("pick card", *(f"pick {single}" for single in SINGLES))
UNMARKS = {f"un{mark}": those for mark, those in MARKS.items()}
EXAMPLES = ("place 14", DISCARD, "mark H 14", "unmark H 14", "pick card", "pick H")

NO_MARKS = ((),) * len(NUMBERS)


class Laid(NamedTuple):
    """The card last placed, the place, the Singles it took away, and the cards discarded since.

    Before the first card is placed, ``card`` and ``place`` are None.
    """

    card: str | None = None
    place: int | None = None
    replaced: tuple[str, ...] = ()
    discarded: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class State:
    """A hand at one moment. The first card of ``deck`` lies open, the others are hidden.

    ``marks`` are the reminders beside each place; ``spares`` are in the order of ``SINGLES``.
    """

    places: Places
    spares: tuple[str, ...]
    deck: tuple[str, ...]
    options: dict[str, Any]
    marks: tuple[tuple[str, ...], ...] = NO_MARKS
    discards: tuple[str, ...] = ()
    last: Laid = Laid()

    @property
    def card(self) -> str | None:
        """The revealed card; None when the hand is over."""
        return self.deck[0] if self.deck else None

    @property
    def fitting(self) -> list[int]:
        """The places to which the revealed card may go."""
        return fitting(self.places, self.card) if self.card else []

    @property
    def score(self) -> Score:
        """The score of the triangle as it stands."""
        return score(self.places, len(self.discards))

    @property
    def left(self) -> list[str]:
        """The Completes still to come, in an order that says nothing of the deck's."""
        return [card for card in COMPLETES if card in self.deck[1:]]


def deal(seed: str, options: dict[str, Any]) -> str:
    """Places, spares and deck, shuffled by ``seed``, with so many Singles as ``options`` say (ruling 18)."""
    return format_deal(draw(seed, complete(options)))


def start(deal: str, options: dict[str, Any]) -> State:
    """The hand as dealt. Options left out have their default; ValueError with a sentence."""
    places, spares, deck = parse_deal(deal)
    return State(places, _in_order(spares), deck, complete(options))


def seats(state: State) -> tuple[str, ...]:
    """The one seat."""
    return (SEAT,)


def waiting_for(state: State) -> tuple[str, ...]:
    """The one seat until all cards are played."""
    return () if is_over(state) else (SEAT,)


def forced_action(state: State) -> str | None:
    """``discard`` when the revealed card fits nowhere (ruling 16), else None."""
    return DISCARD if state.card and not state.fitting else None


def legal_actions(state: State, seat: str) -> list[str]:
    """The places that the revealed card fits, clockwise from place 1; ``discard`` if there is none."""
    if is_over(state):
        return []
    return [f"place {number}" for number in state.fitting] or [DISCARD]


def apply(state: State, seat: str, action: str) -> State:
    """The state after ``action``; IllegalAction says in a sentence why not."""
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
    raise IllegalAction(_("There is no such move: place the card, or lay a Single beside a place."))


def _place(state: State, number: int) -> State:
    card, there = state.deck[0], at(state.places, number)
    if not fits(card, there):
        raise IllegalAction(_why_not(card, there))
    if not is_complete(card):
        return replace(
            state,
            places=laid(state.places, number, there + card),
            deck=state.deck[1:],
            last=Laid(card, number),
        )
    back = (*there, *state.marks[number - 1])
    return replace(
        state,
        places=laid(state.places, number, card),
        spares=_in_order((*state.spares, *back)),
        deck=state.deck[1:],
        marks=_with_marks(state, number, ()),
        last=Laid(card, number, tuple(there)),
    )


def _why_not(card: str, there: str) -> str:
    """Why the card may not go where ``there`` lies."""
    if is_complete(there):
        return _("A Complete lies there already.")
    if is_complete(card) and len(there) == 1:
        return _("The {card} does not fit there: it would have to match “{single}”.").format(
            card=called(card), single=called(there)
        )
    if is_complete(card):
        one, other = map(called, there)
        return _("The {card} does not fit there: it would have to match both “{one}” and “{other}”.").format(
            card=called(card), one=one, other=other
        )
    if len(there) == 2:
        return _("Two Singles lie there already, and there may be no third.")
    if KIND[card] == "fill":
        return _(
            "A place cannot have two fillings (hollow, partial, filled): choose one with a colour or a shape."
        )
    if KIND[card] == "colour":
        return _("A place cannot have two colours: choose one with a filling or a shape.")
    return _("A place cannot have two shapes: choose one with a filling or a colour.")


def _discard(state: State) -> State:
    card = state.deck[0]
    if state.fitting:
        raise IllegalAction(_("This card still fits somewhere, so it has to be placed."))
    discards, spares = state.discards, state.spares
    if is_complete(card):
        discards = (*discards, card)
    else:
        spares = _in_order((*spares, card))
    last = state.last._replace(discarded=(*state.last.discarded, card))
    return replace(state, spares=spares, deck=state.deck[1:], discards=discards, last=last)


def _mark(state: State, single: str, number: int) -> State:
    if is_complete(at(state.places, number)):
        raise IllegalAction(_("A Complete lies there already, so nothing needs to be remembered."))
    if single not in state.spares:
        raise IllegalAction(_("There is no spare Single “{single}” left.").format(single=called(single)))
    marks = _in_order((*state.marks[number - 1], single))
    return replace(state, spares=_without(state.spares, single), marks=_with_marks(state, number, marks))


def _unmark(state: State, single: str, number: int) -> State:
    marks = state.marks[number - 1]
    if single not in marks:
        raise IllegalAction(_("No Single “{single}” lies beside this place.").format(single=called(single)))
    return replace(
        state,
        spares=_in_order((*state.spares, single)),
        marks=_with_marks(state, number, _without(marks, single)),
    )


def _with_marks(state: State, number: int, marks: tuple[str, ...]) -> tuple[tuple[str, ...], ...]:
    return (*state.marks[: number - 1], marks, *state.marks[number:])


def _in_order(singles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(singles, key=SINGLES.index))


def _without(singles: tuple[str, ...], single: str) -> tuple[str, ...]:
    there = singles.index(single)
    return (*singles[:there], *singles[there + 1 :])


def view(state: State, seat: str) -> dict[str, Any]:
    """What the player sees; of the deck the revealed ``card``, and how many are ``cards_left`` beneath it.

    ``places`` are 1–27 clockwise from the upper left, each with its ``side``, its ``singles`` (the bottom
    one first) or the ``complete`` that replaced them, and the ``marks`` beside it. ``spares`` counts the
    Singles at hand. ``score`` is as the triangle stands. ``fits`` has the places that the card fits, None
    without ``highlight``; ``left`` the Completes beneath the revealed card, None without ``show_left``.
    ``last`` is the last card placed with what it replaced, and what was discarded since.
    """
    return {
        "places": [_seen(state, side, number) for side, numbers in SIDES.items() for number in numbers],
        "card": state.card,
        "spares": {single: state.spares.count(single) for single in SINGLES},
        "cards_left": max(0, len(state.deck) - 1),
        "discards": list(state.discards),
        "score": _score(state.score),
        "fits": state.fitting if state.options["highlight"] else None,
        "left": state.left if state.options["show_left"] else None,
        "last": {
            "card": state.last.card,
            "place": state.last.place,
            "replaced": list(state.last.replaced),
            "discarded": list(state.last.discarded),
        },
    }


def _seen(state: State, side: str, number: int) -> dict[str, Any]:
    there = at(state.places, number)
    filled = is_complete(there)
    return {
        "place": number,
        "side": side,
        "singles": [] if filled else list(there),
        "complete": there if filled else None,
        "marks": list(state.marks[number - 1]),
    }


def _score(score: Score) -> dict[str, Any]:
    """``total`` is the sum of ``points``; ``joints`` are 1–27, joint n after place n."""
    return {
        "total": score.total,
        "points": score.points,
        "sides": score.sides,
        "corners": score.corners,
        "joints": list(score.joints),
    }


def is_over(state: State) -> bool:
    """The deck has run out."""
    return not state.deck


def result(state: State, seat: str, seconds: float) -> Result:
    """The score of ruling 17, of a hand broken off as the triangle stands.

    ``parts``: matching sides and corners, discontinuities, Completes discarded and placed, seconds.
    ``outcome`` is ``completed`` or ``open``.
    """
    parts = {
        **state.score.counts,
        "placed": sum(map(is_complete, state.places)),
        "seconds": round(seconds, 3),
    }
    return Result(state.score.total, parts, "completed" if is_over(state) else "open")
