"""Returns the texts that participants read on the board, in replays and on the other pages."""

from __future__ import annotations

from collections.abc import Callable
from gettext import gettext as _
from gettext import ngettext
from math import inf
from typing import Any

from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.language import cached_by_language
from cardlab.games.number_format import plain, signed
from cardlab.games.solitario.dealing import options_in_force
from cardlab.games.solitario.packs import PACKS, card_name
from cardlab.games.solitario.scoring import POINTS, POINTS_PER_SECOND
from cardlab.games.text_forms import Texts, by_count, by_device


@cached_by_language
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/solitario), which fill in the braces.

    Cached, because gettext searches its files for each text.
    """
    return {
        **{card: card_name(card).translated for pack in PACKS.values() for card in pack.cards},
        # Names of the piles, for screen readers.
        "stock": by_count(
            lambda count: ngettext("Stock, {count} card: draw", "Stock, {count} cards: draw", count)
        ),
        "stock_turns": _("Stock, empty: turn it over"),
        "stock_empty": _("Stock, empty"),
        "waste": by_count(
            lambda count: ngettext(
                "Waste, {count} card: {card}", "Waste, {count} cards: {card} on top", count
            )
        ),
        "waste_empty": _("Waste, empty"),
        "foundation": _("Foundation {number}: {card}"),
        "foundation_empty": _("Foundation {number}, empty"),
        "lying": _("{card}, card {at} of column {number}"),
        "column": _("Column {number}"),
        "column_down": _("Column {number}, {count} face down"),
        "column_turns": _("Column {number}, {count} face down: turn up the last one"),
        "column_empty": _("Column {number}, empty"),
        # Hints, notes, and the last action.
        "of": _("{count} of {of}"),
        "start": _("Cards home: {home} of {of}. Cards in the stock: {stock}."),
        "held": _("{card} selected. Choose where it goes."),
        "held_run": by_count(
            lambda count: ngettext(
                "{card} and {count} more card selected. Choose where they go.",
                "{card} and {count} more cards selected. Choose where they go.",
                count,
            )
        ),
        "drop_where": _("Drop the card on a column or a foundation."),
        "one_at_a_time": _("Send cards home one at a time. Take the last one."),
        "take_first": _("There is no card here. Choose a card first, then where it goes."),
        "draw_first": by_device(
            _("The waste is empty. Click the stock to draw a card."),
            _("The waste is empty. Tap the stock to draw a card."),
        ),
        "stock_ends": by_device(
            _("The stock is empty. Click it once more to turn it over."),
            _("The stock is empty. Tap it once more to turn it over."),
        ),
        "drawn": _("You drew: {card}. Left in the stock: {count}."),
        "turned_over": by_count(
            lambda count: ngettext(
                "You turned over the stock: {count} card.", "You turned over the stock: {count} cards.", count
            )
        ),
        "sent_home": _("{card} is home: {home} of {of}."),
        "moved": _("{card} moved to column {number}."),
        "moved_run": by_count(
            lambda count: ngettext(
                "{card} and {count} more card moved to column {number}.",
                "{card} and {count} more cards moved to column {number}.",
                count,
            )
        ),
        "brought_back": _("{card} brought back to column {number}."),
        "turned_up": _("{card} turned up in column {number}."),
        "undone": _("The last move is undone."),
        "finish_offered": _("All cards can go home now. Press “Finish”."),
        # Questions before giving up.
        "leave": _("This ends the hand with its current score. You cannot resume it later."),
        "leave_next": _(
            "This ends the hand with its current score. You cannot resume it later. The next hand begins at "
            "once."
        ),
        "give_up": _("Give up"),
        "give_up_next": _("Give up, next hand"),
        "no_next": _("This is the last hand. Press “Give up” to end it."),
        # The end of a hand.
        "solved": _("Solved! Score {score} (bonus {bonus})"),
        "solved_late": _("Solved! Score {score}"),
        "gave_up": _("You gave up with {home} of {of} cards home · Score {score}"),
        "timeout": _("Time is up with {home} of {of} cards home · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }


def coach_texts(_options: dict[str, Any]) -> Texts:
    """Returns the texts of the tutorial next to the practice table (_static/solitario/tutorial.js)."""
    return {
        "ask_column": _("Drag a card onto the next higher card of the other colour."),
        "praise_column": _("The cards on top of a card move with it."),
        "ask_uncover": _("Move the only face-up card of a column to another column."),
        "ask_turn_up": by_device(
            _("No card lies on this one now: click it to turn it up."),
            _("No card lies on this one now: tap it to turn it up."),
        ),
        "praise_uncover": _("Each card turned up scores 25 points."),
        "ask_home": by_device(
            _("Send the free ace home: right-click it, double-click it, or drag it there."),
            _("Send the free ace home: double-tap it, or drag it there."),
        ),
        "praise_home": _("Bring all cards home, each suit from ace to king."),
        "ask_stock": by_device(_("Click the stock to draw a card."), _("Tap the stock to draw a card.")),
        "praise_stock": _("The top card of the waste may go to a column or home."),
        "ask_points": _("Draw until a card fits on a column, and put it there."),
        "praise_points": _("The card from the stock scored 45 points. Each second costs one point."),
        "all_over": _("This hand is over: press “Start over”."),
    }


def keys_sentence(_options: dict[str, Any]) -> str:
    """Returns the description of the keys on the practice table."""
    return _(
        "Use the arrow keys to choose a card. Press Enter to send it home, draw or turn it up. "
        "Press Space to take a card, and again to put it on another column. "
        "Or press the number of the column, 1 to 7. Press D to draw."
    )


def score_sentences(_config: Config) -> list[str]:
    """Returns no sentences, because the rules explain the score."""
    return []


def score_guide(_config: Config) -> ScoreGuide:
    """Returns examples of the scores of an unsolved and of a solved hand."""
    return ScoreGuide(-inf, 900, 6000, inf)


def rules_vars(config: Config, _hands: object) -> dict[str, Any]:
    """Returns the variables of the rules: settings, the pack's pictures, and whether aces may lie on twos."""
    return {
        **{
            name: config[name]
            for name in ("pack", "draw", "turn_up", "undo", "clock", "hands", "practice_hands")
        },
        "ace_on_two": options_in_force(config)["ace_on_two"],
        "pictures": card_pictures(config["pack"]),
    }


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Solved"), lambda result: _("yes") if result.outcome == "solved" else _("no")),
        (_("Cards home"), lambda result: result.parts["cards_home"]),
    ]


def score_lines(result: Result) -> list[tuple[str, str, str]]:
    """Returns every part of a hand's score with its description, number and points; they sum to the score."""
    parts, seconds = result.parts, int(result.parts["seconds"])
    reasons = {
        "from_stock": _("Cards moved from the stock to a column"),
        "turned_up": _("Cards turned up"),
        "sent_home": _("Cards sent home"),
        "brought_back": _("Cards brought back from a foundation"),
        "turn_overs": _("Times the stock was turned over"),
    }
    lines = [
        (reasons[name], plain(parts[name]), signed(worth * int(parts[name])))
        for name, worth in POINTS.items()
    ]
    lines.append((_("Seconds"), plain(seconds), signed(POINTS_PER_SECOND * seconds)))
    if parts["bonus"]:
        lines.append((_("Bonus for a solved hand"), "", signed(int(parts["bonus"]))))
    return [*lines, (_("Score"), "", plain(result.score))]


def card_pictures(name: str) -> dict[str, Any]:
    """Returns the pictures of a pack in the rules: addresses of cards, and the ranks from low to high."""
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
