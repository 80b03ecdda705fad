"""Prepares the debriefing page about the 2×2 games of a participant's turns.

Everything is from the seat's side: a row is its choice, a column the other player's, 0 for left and 1 for
right from each player's side. :func:`page` returns all variables of ``matrix_game_app/Debriefing.html``.

Results that depend only on a turn or its game are cached, because the page is rendered at every load.
"""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from gettext import gettext
from typing import Any, NamedTuple

from cardlab.games.cards import pretty
from cardlab.games.language import CACHE_SIZE, cached_by_language
from cardlab.games.matrix import two_by_two
from cardlab.games.matrix.board import side
from cardlab.games.matrix.measures import chosen_columns, turn_game
from cardlab.games.matrix.packs import is_special, value
from cardlab.games.matrix.state import State, Turn

DETAILED_HANDS = 6  # the last hands, shown turn by turn; tired participants would not read more
MAX_NAMES = 3  # strict neighbours shown for a game with ties
CELLS = tuple((own, others) for own in two_by_two.CHOICES for others in two_by_two.CHOICES)


@cached_by_language
def _(text: str) -> str:
    """Returns the text. Cached, because gettext looks for its file at each call."""
    return gettext(text)


class ReviewedHand(NamedTuple):
    """A hand for one seat, with its number and all turns until its end or until the seat left."""

    state: State
    seat: str
    number: int


class ReviewedTurn(NamedTuple):
    """A turn from the side of a seat: the game, the chosen columns and cards, the collected points.

    ``free`` says whether the seat's hand had cards of both columns. ``chosen_for`` says for the seat and for
    the other whether the server chose the card.
    """

    number: int
    game: two_by_two.Game
    cell: two_by_two.Cell
    cards: tuple[str, str]
    collected: tuple[int, int]
    free: bool
    chosen_for: tuple[bool, bool] = (False, False)

    @property
    def own_choice(self) -> bool:
        """Whether the participant chose between the columns."""
        return self.free and not self.chosen_for[0]

    @property
    def best(self) -> tuple[int, ...]:
        """The best responses of the seat to the other's choice."""
        return two_by_two.best_responses(self.game, "row")[self.cell[1]]


def review_turns(hand: ReviewedHand) -> list[ReviewedTurn]:
    """Returns the turns of a hand that the seat's pair played."""
    return [
        _review_turn(turn, hand.seat, hand.state.options["court"])
        for turn in hand.state.turns
        if hand.seat in turn.pair
    ]


@lru_cache(maxsize=CACHE_SIZE)
def _review_turn(turn: Turn, seat: str, court: str) -> ReviewedTurn:
    options = {"court": court}  # the only option that affects points
    game, columns = turn_game(turn, options), chosen_columns(turn)
    own_index = turn.pair.index(seat)
    other_index = 1 - own_index
    return ReviewedTurn(
        turn.number,
        _swap_players(game) if own_index else game,
        (columns[own_index], columns[other_index]),
        (turn.cards[own_index], turn.cards[other_index]),
        (value(turn.collected[own_index], options), value(turn.collected[other_index], options)),
        turn.free[own_index],
        (seat in turn.chosen_for, turn.pair[other_index] in turn.chosen_for),
    )


def _swap_players(game: two_by_two.Game) -> two_by_two.Game:
    """Returns the same game with the two players exchanged."""
    (a, b), (c, d) = game.row
    return two_by_two.Game(row=two_by_two.own_payoffs(game, "column"), column=((a, c), (b, d)))


# Names


@lru_cache(maxsize=CACHE_SIZE)
def _kind(game: two_by_two.Game) -> two_by_two.Classification:
    return two_by_two.classify(game)


@cached_by_language
def name(game: two_by_two.Game) -> str:
    """Returns the name of a game for the row player.

    A game with ties is described by its strict neighbours, if they are few.
    """
    kind = _kind(game)
    strict = two_by_two.strict_neighbours(game) if kind.ties else (kind,)
    own, others = (sorted({kind[place] for kind in strict}) for place in (0, 1))
    if own == others and len(own) <= MAX_NAMES and all((order, order) in strict for order in own):
        return _between(own)
    if len(strict) > MAX_NAMES:
        return _("a game with ties")
    return _("you: {own}; the other: {others}").format(own=_between(own), others=_between(others))


def _between(orders: Sequence[str]) -> str:
    words = [_order_name(order) for order in orders]
    if len(words) == 1:
        return words[0]
    if len(words) == 2:
        return _("between {one} and {other}").format(one=words[0], other=words[1])
    return _("between {one}, {other} and {third}").format(one=words[0], other=words[1], third=words[2])


def _order_name(order: str) -> str:
    translate = _  # a single name; order_names(_) would translate all twelve
    return translate(two_by_two.order_names()[order]).replace("'", "’")


# Equilibria and advice


@cached_by_language
def describe_equilibria(game: two_by_two.Game) -> tuple[str, ...]:
    """Returns a sentence about each Nash equilibrium."""
    return tuple(
        two_by_two.describe(two_by_two.equilibria(game), (_("you play"), _("the other plays")), _choices())
    )


def _choices() -> tuple[str, str]:
    return _("left"), _("right")


@cached_by_language
def advice(game: two_by_two.Game) -> tuple[str, ...]:
    """Returns the advice of theory for the row player in this game alone: one or two sentences.

    The advice is a dominant choice, else the response to the other's dominant choice, else it depends on
    whether there are two pure equilibria or none.
    """
    if own_dominance := two_by_two.dominant(game, "row"):
        if own_dominance.strict:
            form = _(
                "Play this: {choice}. It gives you more than the alternative ({other}), whatever the "
                "other does."
            )
        else:
            form = _(
                "Play this: {choice}. It never gives you less than the alternative ({other}), and "
                "sometimes more."
            )
        choices = _choices()
        sentence = form.format(choice=choices[own_dominance.choice], other=choices[1 - own_dominance.choice])
        return sentence, *_common_interest(game)
    if _is_indifferent(game, "row"):
        return (_("Both choices give you the same, whatever the other does. Play either."),)
    if other_dominance := two_by_two.dominant(game, "column"):
        if other_dominance.strict:
            form = _(
                "One choice is better for the other, whatever you do: {other}. Expect it and "
                "play this: {own}."
            )
        else:
            form = _("One choice is never worse for the other: {other}. Expect it and play this: {own}.")
        (answer,) = two_by_two.best_responses(game, "row")[other_dominance.choice]
        return _name_choices(form, (answer, other_dominance.choice)), *_common_interest(game)
    if _is_indifferent(game, "column"):
        sentence = _("Both choices give the other the same, so you cannot know which to expect.")
    elif two_by_two.equilibria(game).pure:
        sentence = _two_equilibria(game)
    else:
        sentence = _mixed_advice(game)
    return sentence, _safe_choice(game)


def _name_choices(form: str, cell: two_by_two.Cell) -> str:
    own, other = (_choices()[choice] for choice in cell)
    return form.format(own=own, other=other)


def _is_indifferent(game: two_by_two.Game, player: str) -> bool:
    """Returns whether both choices give the player the same, whatever the other does."""
    return two_by_two.best_responses(game, player) == (two_by_two.CHOICES, two_by_two.CHOICES)


def _common_interest(game: two_by_two.Game) -> list[str]:
    better = better_for_both(game)
    if better is None:
        return []
    form = _(
        "Yet both of you would get more this way. You: {own}. The other: {other}. What is "
        "best for each is not best for both."
    )
    return [_name_choices(form, better)]


def better_for_both(game: two_by_two.Game) -> two_by_two.Cell | None:
    """Returns the cell in which both get more than in the only equilibrium (prisoner's dilemma), or None."""
    equilibria = two_by_two.equilibria(game)
    if len(equilibria.pure) != 1 or equilibria.mixed or equilibria.continua:
        return None
    return next((cell for cell in CELLS if all(_gains(game, cell, equilibria.pure[0]))), None)


def _gains(game: two_by_two.Game, cell: two_by_two.Cell, other: two_by_two.Cell) -> tuple[bool, bool]:
    """Returns for each player whether it gets more in ``cell`` than in the other cell."""
    (i, j), (m, n) = cell, other
    return game.row[i][j] > game.row[m][n], game.column[i][j] > game.column[m][n]


def _two_equilibria(game: two_by_two.Game) -> str:
    first, second = two_by_two.equilibria(game).pure
    for cell, other in ((first, second), (second, first)):
        gains, losses = _gains(game, cell, other), _gains(game, other, cell)
        if all(gains):
            form = _(
                "There are two pure equilibria. Both of you get more in this one, if you trust each "
                "other. You: {own}. The other: {other}."
            )
            return _name_choices(form, cell)
        if gains == (True, False) and losses == (False, True):
            form = _(
                "There are two pure equilibria. This one gives you more, the alternative gives the other "
                "more. You: {own}. The other: {other}."
            )
            return _name_choices(form, cell)
    return _("There are two pure equilibria. What counts is to meet in one of them.")


def _mixed_advice(game: two_by_two.Game) -> str:
    ((left, _others),) = two_by_two.equilibria(game).mixed
    form = _(
        "There is no pure equilibrium. Wherever you end, one of you would rather have chosen "
        "differently. Let chance decide. Probability of {choice}: {probability}, about "
        "{percent} times in 100."
    )
    return form.format(choice=_choices()[0], probability=left, percent=round(100 * left))


def _safe_choice(game: two_by_two.Game) -> str:
    """Returns a sentence about the maximin choice."""
    worst_payoffs = [min(line) for line in game.row]
    if worst_payoffs[0] == worst_payoffs[1]:
        return _("Neither choice is safer. At worst you get {points} with both.").format(
            points=points(worst_payoffs[0])
        )
    form = _("Safe choice: {choice}. At worst it gives you {points}.")
    return form.format(
        choice=_choices()[worst_payoffs.index(max(worst_payoffs))], points=points(max(worst_payoffs))
    )


# The matrix, and one turn


def points(number: float) -> str:
    """Formats points with a sign: ``+7``, ``−3``, ``0``; a half is ``½``."""
    sign = "−" if number < 0 else "+" if number else ""
    whole = "" if abs(number) == 0.5 else str(int(abs(number)))
    return sign + whole + ("½" if number % 1 else "")


def table(
    game: two_by_two.Game, cell: two_by_two.Cell | None = None, choices: tuple[str, str] | None = None
) -> dict[str, Any]:
    """Returns the payoff matrix for the page: ``columns`` (the other's choices as words) and ``rows``.

    Each row has the seat's ``choice`` as a word and two ``cells`` with ``own`` and ``other`` points as text,
    ``own_best`` and ``other_best`` (best responses), ``equilibrium``, and ``chosen`` for ``cell``.
    """
    choices = choices or _choices()
    own_best, other_best = two_by_two.best_responses(game, "row"), two_by_two.best_responses(game, "column")

    def shown(i: int, j: int) -> dict[str, Any]:
        best = i in own_best[j], j in other_best[i]
        return {
            "own": points(game.row[i][j]),
            "other": points(game.column[i][j]),
            "own_best": best[0],
            "other_best": best[1],
            "equilibrium": all(best),
            "chosen": (i, j) == cell,
        }

    rows = [
        {"choice": choices[i], "cells": [shown(i, j) for j in two_by_two.CHOICES]} for i in two_by_two.CHOICES
    ]
    return {"columns": list(choices), "rows": rows}


def turn_details(turn: ReviewedTurn) -> dict[str, Any]:
    """Returns the variables of a turn on the page.

    In ``cards``, ``collected`` and its ``kinds`` (gain, loss, even) the seat's own value comes first.
    """
    return {
        "number": turn.number,
        "name": name(turn.game),
        "table": table(turn.game, turn.cell),
        "cards": [_card(card) for card in turn.cards],
        "choices": [_choices()[choice] for choice in turn.cell],
        "collected": [points(value) for value in turn.collected],
        "kinds": ["gain" if value > 0 else "loss" if value < 0 else "even" for value in turn.collected],
        "judged": _judge_turn(turn),
        "equilibria": describe_equilibria(turn.game),
        "advice": advice(turn.game),
    }


def _card(card: str) -> str:
    return card.replace("-", "−") if is_special(card) else pretty(card)


def _judge_turn(turn: ReviewedTurn) -> list[str]:
    """Returns sentences about the seat's choice as a best response, and about choices by the server."""
    sentences = [_("Time ran out: a card was chosen for you.") if turn.chosen_for[0] else _judge_choice(turn)]
    if turn.chosen_for[1]:
        sentences.append(_("A card was chosen for the other player."))
    return sentences


def _judge_choice(turn: ReviewedTurn) -> str:
    own, others = turn.cell
    if not turn.free:
        return _("You had no choice. All your cards selected one column: {choice}.").format(
            choice=_choices()[own]
        )
    if len(turn.best) == 2:
        return _("Both choices would have given you the same.")
    if own in turn.best:
        return _("Your choice was a best response.")
    form = _("The best response was different. {choice}: {more} for you instead of {less}.")
    return form.format(
        choice=_choices()[1 - own].capitalize(),
        more=points(turn.game.row[1 - own][others]),
        less=points(turn.game.row[own][others]),
    )


# The page


def page(hands: Sequence[ReviewedHand]) -> dict[str, Any]:
    """Returns the template variables of the debriefing page, for the hands of one participant in order.

    ``summary`` of all hands has ``facts``, each (value, meaning), and ``is_complete``, False if only the last
    hands are shown turn by turn. ``examples`` are the two classic games, each with ``title``, ``story``,
    ``table`` and ``lesson``. ``kinds`` are the named games, each with ``names``, ``text``, and the numbers of
    turns in which the ``own`` payoffs, the ``other``'s or ``both`` had this order. ``games`` has for each
    hand ``number``, ``score``, ``others`` (each ``name``, ``score``), ``open`` (shown unfolded) and ``turns``
    from :func:`turn_details`.
    """
    turns = [turn for hand in hands for turn in review_turns(hand)]
    last_hands = hands[-DETAILED_HANDS:]
    return {
        "summary": {"facts": _summary_facts(turns), "is_complete": len(last_hands) == len(hands)},
        "examples": _examples(),
        "kinds": _named_games(turns),
        "games": [_game(hand, shown=len(last_hands) == 1) for hand in last_hands],
    }


def _game(hand: ReviewedHand, shown: bool) -> dict[str, Any]:
    state, seat = hand.state, hand.seat
    return {
        "number": hand.number,
        "score": points(state.score(seat)),
        "others": [
            {"name": _player_name(state, seat, other), "score": points(state.score(other))}
            for other in state.seats
            if other != seat
        ],
        "open": shown,
        "turns": [turn_details(turn) for turn in review_turns(hand)],
    }


def _player_name(state: State, seat: str, other: str) -> str:
    """Returns the name of another player at the table."""
    robot = other in (state.options.get("robots") or {})
    if len(state.seats) == 2:
        return _("Robot") if robot else _("Other player")
    words = {
        "left": (_("Left player"), _("Left robot")),
        "far": (_("Far player"), _("Far robot")),
        "right": (_("Right player"), _("Right robot")),
    }
    return words[side(seat, other)][robot]


def _summary_facts(turns: Sequence[ReviewedTurn]) -> list[tuple[str, str]]:
    """Returns facts about the turns, each as (value, meaning).

    Games are counted over all turns, best responses over the participant's own choices.
    """
    kinds = [_kind(turn.game) for turn in turns]
    ties = sum(kind.ties for kind in kinds)
    one_equilibrium = sum(kind.row == kind.column and not kind.ties for kind in kinds)
    pure = Counter(len(_pure_equilibria(turn.game)) for turn in turns)
    own_turns = [turn for turn in turns if turn.own_choice]
    best_count = sum(turn.cell[0] in turn.best for turn in own_turns)
    return [
        (str(len(turns)), _your_turns(sum(turn.chosen_for[0] for turn in turns))),
        (str(one_equilibrium), _("with the same named game for both")),
        (str(len(turns) - one_equilibrium - ties), _("with a different game for each player")),
        (str(ties), _("with ties (equal payoffs)")),
        (f"{pure[1]} · {pure[2]} · {pure[0]}", _("with one · two · no pure equilibrium")),
        (
            _("{some} of {all}").format(some=best_count, all=len(own_turns)),
            _("best responses, when you had a choice"),
        ),
    ]


def _your_turns(chosen_for: int) -> str:
    if not chosen_for:
        return _("your turns")
    return _("your turns (card chosen for you: {number})").format(number=chosen_for)


@lru_cache(maxsize=CACHE_SIZE)
def _pure_equilibria(game: two_by_two.Game) -> tuple[two_by_two.Cell, ...]:
    """Returns the pure equilibria, without computing others."""
    row, column = two_by_two.best_responses(game, "row"), two_by_two.best_responses(game, "column")
    return tuple((i, j) for i, j in CELLS if i in row[j] and j in column[i])


def _examples() -> list[dict[str, Any]]:
    """Returns the source's two examples, whose first choice is the cooperative one."""
    return [
        {
            "title": _("Two suspects"),
            "story": _(
                "Two suspects sit in separate cells. There is little evidence. If both stay silent, "
                "each gets half a year in prison. If both confess, each gets two years. If only one "
                "confesses, that one goes free and the other gets twenty years. The payoffs are "
                "minus these years."
            ),
            "table": table(two_by_two.TWO_SUSPECTS, choices=(_("silent"), _("confess"))),
            "lesson": _(
                "Confessing is better for each suspect, whatever the other does. So both confess and "
                "get two years, although half a year was possible."
            ),
        },
        {
            "title": _("The same game in points"),
            "story": _(
                "Left and left: both get five points. Right against left: right gets eight, left "
                "loses five. Right and right: both lose three."
            ),
            "table": table(two_by_two.FIVE_AND_EIGHT),
            "lesson": _(
                "Right is always better for each player. Yet right and right is worse for both than "
                "left and left. Payoffs in this order make a prisoner’s dilemma, whatever their size."
            ),
        },
    ]


def _named_games(turns: Sequence[ReviewedTurn]) -> list[dict[str, Any]]:
    """Returns the named games in groups, with an example from daily life and the numbers of turns."""
    kinds = [kind for kind in (_kind(turn.game) for turn in turns) if not kind.ties]
    groups = []
    for orders, text in _daily_life().items():
        own_count = sum(kind.row in orders for kind in kinds)
        other_count = sum(kind.column in orders for kind in kinds)
        both_count = sum(kind.row in orders and kind.column in orders for kind in kinds)
        counted = _("Turns with these payoffs · You: {own} · The other: {other} · Both: {both}")
        groups.append(
            {
                "names": ", ".join(map(_order_name, orders)),
                "text": text,
                "own": own_count,
                "other": other_count,
                "both": both_count,
                "count_text": counted.format(own=own_count, other=other_count, both=both_count),
            }
        )
    return groups


def _daily_life() -> dict[tuple[str, ...], str]:
    """Returns for groups of payoff orders a description of the game with examples from daily life."""
    return {
        ("TRPS",): _(
            "One choice is better for each player, whatever the other does. Yet both lose by it. "
            "Examples: disarmament talks, price wars, doping in sport."
        ),
        ("TRSP",): _(
            "Giving way costs something. If nobody gives way, both get their worst result. "
            "Examples: two drivers on one lane, brinkmanship between states."
        ),
        ("RTPS",): _(
            "Joining in is best if both do it. Joining in alone gives the least. Examples: a "
            "joint project, a strike."
        ),
        ("RPTS", "RPST"): _(
            "Doing the same is better than not. Both like the same option best. Examples: one "
            "meeting place, one messenger app for all friends."
        ),
        ("TSRP", "TSPR"): _(
            "There are two ways to agree, and each player prefers a different one. Examples: two "
            "firms and two technical standards, an evening out together."
        ),
        ("RSTP", "RSPT", "RTSP"): _(
            "What is good for one is good for the other. Both get their best result. Example: "
            "two cyclists who both use lights."
        ),
        ("TPRS", "TPSR"): _(
            "Each player does better alone, whatever the other does. A deal would not help both. "
            "Example: talks between states that both prefer the weapon to the treaty."
        ),
    }
