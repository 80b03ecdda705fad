"""The words of the board, which are the same in every app that plays the game, and in a replay."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _

from cardlab.games.sentence import translate
from cardlab.games.solitario.packs import PACKS, called


@cache
def board_texts() -> dict[str, str]:
    """What the board's scripts say (_static/solitario); the words in braces are filled in there.

    Looked up once: the language is the server's, and gettext searches its files at every word.
    """
    return {**_of_cards(), **_of_piles(), **_of_play(), **_of_leaving(), **_of_end()}


def _of_cards() -> dict[str, str]:
    """``Rd``: "king of coins", and so on for all packs."""
    return {card: translate(called(card)) for pack in PACKS.values() for card in pack.cards}


def _of_piles() -> dict[str, str]:
    """The names of the places, for those who hear them."""
    return {
        "stock": _("Stock, {count} cards: draw"),
        "stock_turns": _("Stock, empty: turn the waste over"),
        "stock_empty": _("Stock, empty"),
        "waste": _("Waste: {card}; {count} cards"),
        "waste_empty": _("Waste, empty"),
        "foundation": _("Foundation {number}: {card}"),
        "foundation_empty": _("Foundation {number}, empty"),
        "lying": _("{card}, card {at} of column {number}"),
        "column": _("Column {number}"),
        "column_down": _("Column {number}, {count} face down"),
        "column_turns": _("Column {number}, {count} face down: turn the last one up"),
        "column_empty": _("Column {number}, empty"),
    }


def _of_play() -> dict[str, str]:
    """Hints, notes, and what has just happened."""
    return {
        "of": _("{count} of {of}"),
        "start": _("{home} of {of} cards are home; the stock has {stock}."),
        "held": _("{card} taken. Choose where it goes."),
        "held_run": _("{card} taken, with {more} more. Choose where they go."),
        "drop_where": _("Drop the card on a column or on a foundation."),
        "one_at_a_time": _("Cards go home one at a time: take the last one."),
        "take_first": _("No card lies here. Choose a card first, then where it goes."),
        "draw_first": _("No card of the stock lies open. Click the stock for the next one."),
        "drawn": _("Drawn: {card}. {count} left in the stock."),
        "turned_over": _("The stock is turned over: {count} cards."),
        "sent_home": _("{card} home: {home} of {of}."),
        "moved": _("{card} to column {number}."),
        "moved_run": _("{card} and {more} more to column {number}."),
        "brought_back": _("{card} back to column {number}."),
        "turned_up": _("{card} turned up in column {number}."),
        "undone": _("The last move is taken back."),
        "one_moment": _("One moment: your last move is still on its way."),
    }


def _of_leaving() -> dict[str, str]:
    """What is asked of who would give the hand up."""
    return {
        "leave": _("The hand is over then, with the score it has now. You cannot go on with it later."),
        "leave_next": _(
            "The hand is over then, with the score it has now. You cannot go on with it later, and the next "
            "hand begins at once."
        ),
        "give_up": _("Give up"),
        "give_up_next": _("Give up, next hand"),
        "no_next": _("This is the last hand: there is no next one. To end it, press Give up."),
    }


def _of_end() -> dict[str, str]:
    return {
        "solved": _("All cards are home! · Score {score}, {bonus} of it as bonus"),
        "solved_late": _("All cards are home! · Score {score}"),
        "gave_up": _("You gave up, with {home} of {of} cards home · Score {score}"),
        "timeout": _("Time is over, {home} of {of} cards are home · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }
