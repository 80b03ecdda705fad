"""What a participant reads that is neither in a template nor on the board: how games are paid."""

from __future__ import annotations

from collections.abc import Sequence
from gettext import gettext as _
from typing import Any

from cardlab.core.number_format import plain
from cardlab.games.record import Opening
from cardlab.pages import texts
from cardlab.sessions import money

EXAMPLE = 12  # a usual score


def hand_title(opening: Opening) -> str:
    return _("Game {number} of {of}").format(number=opening.number, of=opening.of)


def points(score: int | None) -> str:
    """``+7``, ``−3``, ``0``; nothing for None."""
    return "" if score is None else f"{score:+d}".replace("-", "−") if score else "0"


def called() -> str:
    """What participants know a hand as."""
    return _("game")


def of_pay(config: dict[str, Any]) -> list[str]:
    """How a game earns its score and what is paid, a sentence each."""
    scored = _("Your score in a game is the sum of the cards that you have collected; it may be negative.")
    return [scored, *texts.of_pay(config, called()), *money.of_pay(config, called(), EXAMPLE)]


def of_earned(
    config: dict[str, Any], earned: float, rows: Sequence[tuple], drawn: int, fee_next: bool = True
) -> dict[str, Any]:
    """What the games, told in ``rows`` as on the page of results, have ``earned`` in points; ``fee_next``
    says whether that page tells the fee too.

    ``money`` in all; ``sentences`` that say how; of several ``games`` each one's number, score and points.
    """
    told = {
        "points": plain(money.shown(config, earned)),
        "money": money.written(money.worth(config, earned)),
        "number": drawn,
        "games": len(rows),
    }
    if drawn:
        sentence = _("Game {number} was drawn to be paid: it earned you {points} points, {money}.")
    elif len(rows) == 1:
        told["score"] = points(rows[0][1].score)
        sentence = _("Your score was {score}: it earned you {points} points, {money}.")
    else:
        sentence = _("Your {games} games earned you {points} points, {money}.")
    sentences = [sentence.format(**told)]
    if config["participation_fee"] and fee_next:
        sentences.append(_("The next page adds what you receive for taking part."))
    games = [(number, points(result.score), *earned_by_it) for number, result, _score, *earned_by_it in rows]
    return {"money": told["money"], "sentences": sentences, "games": games if len(rows) > 1 else []}


def of_courts(config: dict[str, Any]) -> str:
    """What the cards are worth, in a sentence."""
    if config["pack"] == "special":
        return _("There is one card for each column and each value from −10 to +10, without 0.")
    if config["court"] == "ladder":
        return _("The cards are those of a French pack: an ace counts 1, jack 11, queen 12 and king 13.")
    return _("The cards are those of a French pack: an ace counts 1, and jack, queen and king count 10.")


def of_no_shows(config: dict[str, Any]) -> list[str]:
    """What becomes of who waits for somebody who does not come, a sentence each."""
    if config["no_shows"] == "robot":
        too_few = _("If there are too few people for a game, the computer plays in the empty seats.")
    else:
        too_few = _("If there are too few people for a game, you go on without one.")
    return texts.of_no_shows(config, too_few)


def of_coach() -> dict[str, str]:
    """What the coach says beside the game to try (_static/matrix/tutorial.js)."""
    return {
        "ask_choose": _("Choose any of your seven cards: click or tap it."),
        "praise_choose": _("The next steps tell how that comes about."),
        "ask_column": _("Choose a card, and watch which cross is selected: where the two columns meet."),
        "praise_column": _("Each of you selected a column, and the cross where they meet was selected."),
        "ask_collect": _("Choose a card, and watch what becomes of it."),
        "praise_collect": _(
            "The two cards just played are the new cross there. Yours stands upright: you may get it later."
        ),
        "ask_turn": _("Go on choosing cards until you have collected the lower card of the two."),
        "may_turn": _("You collected the lower card. Choose the cross that you want to turn, or keep all."),
        "praise_turn": _("Well done: that is how a cross is turned, or kept."),
        "no_luck": _("This time you did not collect the lower card. In the games you sometimes will."),
        "collected": _("You collected {own}, the other player {others}."),
        "wait": _("This turn is played by the others. Soon it is yours again."),
        "all_played": _("All cards are played. Press “Start over”."),
    }
