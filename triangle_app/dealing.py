"""The hands of a session: the form and a deal file, or the seed, made into openings."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice
from typing import Any

from experiment.config import check_choices, check_common, check_names, check_whole_numbers
from experiment.deal_files import deals, numbered
from experiment.record import Opening
from games.contract import BadFile
from games.triangle import deal_file, rules
from games.triangle.dealing import ALLOWED_OPTIONS, parse_deal


def openings(config: dict[str, Any], at_most: int) -> list[Opening]:
    """The hands in order, practice first. Raises BadFile, also if the form asks for what cannot be."""
    limits = {"hands": (1, at_most), "practice_hands": (0, at_most)}
    wrong = (
        check_common(config)
        or check_choices(config, ALLOWED_OPTIONS)
        or check_whole_numbers(config, limits)
        or check_names(config, ("deal_file",))
    )
    count = config["hands"] + config["practice_hands"]
    if not wrong and config["doubled"] + config["mixed_in"] > max(ALLOWED_OPTIONS["doubled"]):
        wrong = "doubled and mixed_in together must be at most 9: there are nine spare Singles."
    elif not wrong and count > at_most:
        wrong = f"hands and practice_hands together must be at most {at_most}, not {count}."
    if wrong:
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    dealt = [
        replace(hand, options=_as_dealt(hand), practice=number <= config["practice_hands"])
        for number, hand in enumerate(
            islice(deals("triangle", rules, deal_file.read, config, options), count), 1
        )
    ]
    return numbered(dealt[: config["practice_hands"]], dealt[config["practice_hands"] :])


def _as_dealt(hand: Opening) -> dict[str, Any]:
    """The options, with the variations that the deal has: a deal file decides them by itself."""
    deal = parse_deal(hand.deal)
    return {**hand.options, "doubled": deal.doubled, "mixed_in": deal.mixed_in}


def to_try(opening: Opening) -> Opening:
    """A hand to try, dealt as the session's hands are, for everybody alike."""
    return Opening(rules.deal("a triangle to try", opening.options), opening.options)
