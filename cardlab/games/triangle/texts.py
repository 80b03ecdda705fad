"""The texts of the board, in sessions and in replays."""

from __future__ import annotations

from functools import cache
from gettext import gettext as _

from cardlab.games.triangle import packs


@cache
def board_texts() -> dict[str, str]:
    """Returns the texts for the board's scripts (_static/triangle), which fill in the braces.

    Cached, because gettext searches its files for each text and all participants share the server's language.
    """
    return {
        # Cards: ``H`` and the like are the characteristics, ``complete`` combines three of them.
        **{single: packs.translated_card_name(single) for single in packs.SINGLES},
        "complete": _("{fill} {colour} {shape}"),
        "single": _("Single “{card}”"),
        "two_singles": _("Singles “{one}” and “{other}”"),
        "no_card": _("no card"),
        "spare_one": _("Single “{card}”: 1 spare"),
        "spare_many": _("Single “{card}”: {count} spare"),
        "mark": _("Reminder “{card}” beside place {place}: take it back"),
        "to_come": _("{card}: still to come"),
        "gone": _("{card}: not to come any more"),
        # Places and joints. ``also`` joins a label with more to say.
        "side_top": _("top side"),
        "side_right": _("right side"),
        "side_left": _("left side"),
        "place": _("Place {place}, {side}: {there}"),
        "also": _("{label}; {more}"),
        "fits": _("fits"),
        "reminders": _("reminders: {cards}"),
        "fits_here": _("It fits here."),
        "joins_here": _("It may be added here: the card for this place will have to match both."),
        "filled": _("A Complete lies here already."),
        "not_one": _("It does not fit here: it is not “{single}”."),
        "not_both": _("It does not fit here: it would have to be both “{one}” and “{other}”."),
        "two_already": _("Two Singles lie here already, and there may be no third."),
        "same_kind": _("It cannot be added here: a Single of its kind lies here already."),
        "neighbour_match": _("✓ {card}: matches"),
        "neighbour_mismatch": _("✗ {card}: does not match"),
        "neighbour_unsure": _("? {card}: not certain yet"),
        # Hints, notes, and what has just happened.
        "how_to_place": _("Click a place, or drag the card there."),
        "how_to_place_touch": _(
            "Tap a place, or drag the card there. Hold a finger on a place to see what would match."
        ),
        "how_to_add": _("This is a Single: choose the place to which it is added."),
        "how_to_remind": _("Drag this Single onto a place: it will lie beside it as a reminder."),
        "no_spare": _("No such Single is spare now."),
        "drop_on_place": _("Drop the card on one of the 27 places."),
        "no_reminder": _("A Complete lies there already, so nothing needs to be remembered."),
        "one_moment": _("One moment: your last move is still on its way."),
        "placed": _("{card} placed in {place}."),
        "added": _("Single “{card}” added in {place}."),
        "reminded": _("Reminder “{card}” laid beside place {place}."),
        "taken_back": _("Reminder “{card}” taken back."),
        "discarded": _("No place was left for the {card}: discarded, −3 points."),
        "discarded_many": _("No place was left for: {card}. Discarded, −3 points each."),
        "set_aside": _("No place was left for the Single “{card}”: it went to the spares, at no cost."),
        "next_card": _("Next card: {card}. Score: {score}."),
        "score_now": _("Score: {score}."),
        # The end of a hand.
        "all_played": _("All cards are played."),
        "perfect": _("A perfect triangle! · Score {score}"),
        "completed": _("All cards are played · Score {score}"),
        "timeout": _("Time is over · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
    }
