"""What participants read, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from gettext import gettext as _
from typing import Any

from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.number_format import plain, signed
from cardlab.games.solitario.packs import PACKS, card_name
from cardlab.games.solitario.scoring import POINTS, POINTS_PER_SECOND
from cardlab.games.text_forms import Texts, by_device


@cache
def board_texts() -> Texts:
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
        "one_moment": _("One moment please: your last move is still being sent."),
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


def coach_texts() -> Texts:
    """Returns what the tutorial says beside the table to try (_static/solitario/tutorial.js)."""
    return {
        "ask_column": _(
            "Find a card that goes on the last card of another column: one lower than that, and of the other "
            "colour. Drag it there. Or click or tap it, and then the other column."
        ),
        "praise_column": _("Well done. What lies on a card goes with it."),
        "ask_uncover": _(
            "Move a card that lies alone on face-down cards to another column, so that the next card can be "
            "turned up."
        ),
        "ask_turn_up": _("Nothing lies on this card any more: click or tap it to turn it up."),
        "praise_uncover": _("The card is turned up, and brings points."),
        "ask_home": by_device(
            _(
                "An ace lies open: send it home. Click it with the right button, click it twice, or drag "
                "it to an empty foundation."
            ),
            _("An ace lies open: send it home. Tap it twice, or drag it to an empty foundation."),
        ),
        "praise_home": _("It is home. The two of its suit may follow."),
        "ask_stock": _("Click or tap the stock to draw from it."),
        "praise_stock": _("What is drawn lies beside the stock: its top card may go to a column or home."),
        "ask_points": _(
            "Draw cards from the stock until one goes on a column, and lay it there. Watch the score."
        ),
        "praise_points": _("The card from the stock has brought 45 points. Each second costs one."),
        "all_over": _("This hand is over. Press “Start over”."),
    }


def keys_sentence() -> str:
    """Returns what the keys do on the table to try."""
    return _(
        "The arrow keys go to the cards. Enter sends a card home, draws from the stock or turns a card up; "
        "Space takes a card and lays it on another column, and so do the digits 1 to 7. D draws, U takes "
        "back where that is allowed."
    )


def score_sentences(_config: Config) -> list[str]:
    """Returns nothing: the rules say how a hand earns its score."""
    return []


def example_score(_config: Config) -> int:
    """Returns a usual score."""
    return 900


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Solved"), lambda result: _("yes") if result.outcome == "solved" else _("no")),
        (_("Cards home"), lambda result: result.parts["cards_home"]),
    ]


def score_lines(result: Result) -> list[tuple[str, str, str]]:
    """Returns every part of a hand's score: what it is, how often, its points; they add up to the score."""
    parts, seconds = result.parts, int(result.parts["seconds"])
    what = {
        "from_stock": _("Cards of the stock laid on a column"),
        "turned_up": _("Cards turned up"),
        "sent_home": _("Cards sent home"),
        "brought_back": _("Cards brought back from a foundation"),
        "turn_overs": _("The stock turned over"),
    }
    lines = [
        (what[name], plain(parts[name]), signed(worth * int(parts[name]))) for name, worth in POINTS.items()
    ]
    lines.append((_("Seconds"), plain(seconds), signed(POINTS_PER_SECOND * seconds)))
    if parts["bonus"]:
        lines.append((_("Bonus for a solved hand"), "", signed(int(parts["bonus"]))))
    return [*lines, (_("Score"), "", plain(result.score))]


def card_pictures(name: str) -> dict[str, Any]:
    """Returns what the rules show of a pack: addresses of cards, and the ranks from low to high."""
    pack = PACKS[name]
    black, red = pack.suits[0], pack.suits[2]
    return {
        "six": _picture("6" + red),
        "five": _picture("5" + black),
        "king": _picture(pack.ranks[-1] + red),
        "ace": _picture(pack.ranks[0] + black),
        "two": _picture("2" + black),
        "black": [_picture(pack.ranks[0] + suit) for suit in pack.suits[:2]],
        "red": [_picture(pack.ranks[0] + suit) for suit in pack.suits[2:]],
        "ranks": " · ".join(pack.ranks),
    }


def _picture(card: str) -> str:
    """Returns the address of a card's face."""
    return f"/static/solitario/{'french' if card[-1].isupper() else 'cards'}/{card}.svg"
