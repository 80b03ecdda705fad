"""Selects the highlights of a participant's turns after play: at most three sentences."""

from collections.abc import Iterator, Sequence
from gettext import gettext as _
from typing import NamedTuple

from cardlab.games.matrix.debriefing import ReviewedHand, ReviewedTurn, points, review_turns
from cardlab.games.matrix.packs import value

MAX_HIGHLIGHTS = 3


class Highlight(NamedTuple):
    """A highlight: a title, a sentence, and the points won, lost or missed.

    ``kind`` is ``gain``, ``loss``, ``even`` or ``possible``; ``word`` is the kind in the participant's
    language, ``worth`` are the points.
    """

    kind: str
    word: str
    title: str
    sentence: str
    worth: str


class _At(NamedTuple):
    """A turn, and its name: its number, and that of the game if there are several.

    ``with_robot`` says whether a robot had the other seat of the pair.
    """

    where: str
    turn: ReviewedTurn
    with_robot: bool

    @property
    def collected(self) -> int:
        return self.turn.collected[0]

    @property
    def instead(self) -> int:
        """The points that the other column would have brought against the same choice of the other player."""
        own, others = self.turn.cell
        return int(self.turn.game.row[1 - own][others])


def find_highlights(hands: Sequence[ReviewedHand]) -> list[Highlight]:
    """Returns at most three highlights.

    In this order: the best turn, the most costly choice, choices by the server, points missed by not playing
    best responses, the gain from a turned cross, the worst turn.
    """
    several = len(hands) > 1
    turns = [
        _At(_turn_label(hand, turn.number, several), turn, _is_with_robot(hand, turn.number))
        for hand in hands
        for turn in review_turns(hand)
    ]
    every = (
        *(_best_turn(turns), _most_costly(turns), _chosen_for(turns), _best_responses(turns)),
        *(_turned_cross(hands), _lowest_turn(turns)),
    )
    return [*filter(None, every)][:MAX_HIGHLIGHTS]


def _is_with_robot(hand: ReviewedHand, turn: int) -> bool:
    robots = hand.state.options.get("robots") or {}
    return any(seat in robots for seat in hand.state.turns[turn - 1].pair)


def _turn_label(hand: ReviewedHand, turn: int, several: bool) -> str:
    if several:
        return _("turn {turn} of game {game}").format(turn=turn, game=hand.number)
    return _("turn {turn}").format(turn=turn)


def _highlight(title: str, sentence: str, worth: int) -> Highlight:
    """Returns a highlight of a gain or a loss."""
    kind = "gain" if worth > 0 else "loss" if worth < 0 else "even"
    word = {"gain": _("Gain"), "loss": _("Loss"), "even": _("Even")}[kind]
    return Highlight(kind, word, title, sentence, points(worth))


def _both_collected(at: _At) -> str:
    if at.with_robot:
        sentence = _("You collected {own}, the robot {others} ({where}).")
    else:
        sentence = _("You collected {own}, the other player {others} ({where}).")
    own, others = map(points, at.turn.collected)
    text = sentence.format(where=at.where, own=own, others=others)
    if not at.turn.chosen_for[0]:
        return text
    return f"{text} {_('A card was chosen for you.')}"


def _best_turn(turns: Sequence[_At]) -> Highlight | None:
    best = max(turns, key=lambda at: at.collected, default=None)
    if best is None or best.collected <= 0:
        return None
    return _highlight(_("Your best turn"), _both_collected(best), best.collected)


def _lowest_turn(turns: Sequence[_At]) -> Highlight | None:
    lowest = min(turns, key=lambda at: at.collected, default=None)
    if lowest is None or lowest.collected >= 0:
        return None
    return _highlight(_("Your worst turn"), _both_collected(lowest), lowest.collected)


def _most_costly(turns: Sequence[_At]) -> Highlight | None:
    """Returns the participant's choice that missed the most points."""
    own_turns = [at for at in turns if at.turn.own_choice and at.instead > at.collected]
    if not own_turns:
        return None
    worst_turn = max(own_turns, key=lambda at: at.instead - at.collected)
    sentence = _(
        "You collected {own} ({where}). A card of the other column would have brought you {instead}."
    )
    text = sentence.format(
        where=worst_turn.where, own=points(worst_turn.collected), instead=points(worst_turn.instead)
    )
    return _highlight(_("Your most costly choice"), text, worst_turn.collected - worst_turn.instead)


def _chosen_for(turns: Sequence[_At]) -> Highlight | None:
    """Returns the points collected in the turns in which the server chose the card."""
    turns_chosen = [at for at in turns if at.turn.chosen_for[0]]
    if not turns_chosen:
        return None
    worth = sum(at.collected for at in turns_chosen)
    if len(turns_chosen) == 1:
        sentence = _("A card was chosen for you ({where}). It brought you {points}.")
    else:
        sentence = _(
            "Turns in which a card was chosen for you: {number} of {all}. They brought you {points}."
        )
    text = sentence.format(
        where=turns_chosen[0].where, number=len(turns_chosen), all=len(turns), points=points(worth)
    )
    return _highlight(_("Chosen for you"), text, worth)


def _best_responses(turns: Sequence[_At]) -> Highlight | None:
    own_turns = [at for at in turns if at.turn.own_choice]
    if len(own_turns) < 2:
        return None
    losses = [at.instead - at.collected for at in own_turns if at.instead > at.collected]
    with_robot = all(at.with_robot for at in own_turns)
    if not losses:
        text = _only_best_responses(with_robot).format(all=len(own_turns))
        return Highlight("even", _("No points missed"), _("Best responses"), text, points(0))
    text = _best_responses_missed(with_robot).format(
        best=len(own_turns) - len(losses), all=len(own_turns), points=sum(losses)
    )
    return Highlight("possible", _("More was possible"), _("Best responses"), text, points(sum(losses)))


def _best_responses_missed(with_robot: bool) -> str:
    if with_robot:
        return _(
            "Best responses to the robot: {best} of {all}. Points missed with the other choices: {points}."
        )
    return _(
        "Best responses to the other player: {best} of {all}. Points missed with the other choices: {points}."
    )


def _only_best_responses(with_robot: bool) -> str:
    if with_robot:
        return _("Your choice was always a best response to the robot. Choices: {all}.")
    return _("Your choice was always a best response to the other player. Choices: {all}.")


def _turned_cross(hands: Sequence[ReviewedHand]) -> Highlight | None:
    """Returns the collected cross whose earlier rotation by the participant gained the most points."""
    crosses = [cross for hand in hands for cross in _collected_as_turned(hand, len(hands) > 1)]
    if not crosses:
        return None
    where, later, own, instead = max(crosses, key=lambda cross: cross[2] - cross[3])
    sentence = _("You turned a cross ({where}). Later it brought you {own} instead of {instead} ({later}).")
    text = sentence.format(where=where, later=later, own=points(own), instead=points(instead))
    return _highlight(_("A cross you turned"), text, own - instead)


def _collected_as_turned(hand: ReviewedHand, several: bool) -> Iterator[tuple[str, str, int, int]]:
    """Yields each rotated cross that was collected: the two turns, the points, the points if not rotated."""
    turns, seat = hand.state.turns, hand.seat
    for place, turn in enumerate(turns):
        if turn.rotator != seat or turn.rotation in (None, "keep"):
            continue
        cell = turn.rotation.removeprefix("rotate ")
        for later in turns[place + 1 :]:
            if later.cell == cell:
                own_index = later.pair.index(seat)
                values = [value(card, hand.state.options) for card in later.collected]
                where, then = (_turn_label(hand, each.number, several) for each in (turn, later))
                yield where, then, values[own_index], values[1 - own_index]
            if cell in (later.cell, (later.rotation or "").removeprefix("rotate ")):
                break
