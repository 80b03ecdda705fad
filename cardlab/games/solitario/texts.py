"""The texts of the board, in sessions and in replays."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _

from cardlab.games.solitario.packs import PACKS, card_name


@cache
def board_texts() -> dict[str, str]:
    """Returns the texts for the board's scripts (_static/solitario), which fill in the braces.

    Cached, because gettext searches its files for each text and all participants share the server's language.
    """
    return {
        **{card: card_name(card).translated for pack in PACKS.values() for card in pack.cards},
        # Names of the piles, for screen readers.
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
        # Hints, notes, and what has just happened.
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
        # Questions before giving up.
        "leave": _("The hand is over then, with the score it has now. You cannot go on with it later."),
        "leave_next": _(
            "The hand is over then, with the score it has now. You cannot go on with it later, and the next "
            "hand begins at once."
        ),
        "give_up": _("Give up"),
        "give_up_next": _("Give up, next hand"),
        "no_next": _("This is the last hand: there is no next one. To end it, press Give up."),
        # The end of a hand.
        "solved": _("All cards are home! · Score {score}, {bonus} of it as bonus"),
        "solved_late": _("All cards are home! · Score {score}"),
        "gave_up": _("You gave up, with {home} of {of} cards home · Score {score}"),
        "timeout": _("Time is over, {home} of {of} cards are home · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }
