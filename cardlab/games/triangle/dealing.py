"""Dealing a session: config and deal file, or the seed, made into openings."""

from __future__ import annotations

from dataclasses import replace

from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    Config,
    DealtSession,
    ReadFile,
    check_choices,
    check_names,
    check_whole_numbers,
    draw_or_read_deals,
    number_hands,
)
from cardlab.games.record import Opening
from cardlab.games.triangle import deal_file, rules
from cardlab.games.triangle.deal import ALLOWED_OPTIONS, parse_deal


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """The hands of a session, practice first: the same for everybody, or each participant's own (see
    ``cardlab.games.dealing``)."""
    if wrong := _check_own(config, at_most):
        raise BadFile("session config", wrong)
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    dealt = draw_or_read_deals(rules.deal, deal_file.read, config, options, read)
    practice, paid = config["practice_hands"], config["hands"]
    of_participants = [
        number_hands(
            [replace(_as_dealt(next(dealt)), practice=True) for _hand in range(practice)],
            [_as_dealt(next(dealt)) for _hand in range(paid)],
        )
        for _participant in range(participants if config["own_deals"] else 1)
    ]
    return DealtSession([list(of_hand) for of_hand in zip(*of_participants)], [])


def _check_own(config: Config, at_most: int) -> str | None:
    wrong = (
        check_choices(config, {**ALLOWED_OPTIONS, "own_deals": (False, True)})
        or check_whole_numbers(config, {"hands": (1, at_most), "practice_hands": (0, at_most)})
        or check_names(config, ("deal_file",))
    )
    if wrong:
        return wrong
    if config["doubled"] + config["mixed_in"] > max(ALLOWED_OPTIONS["doubled"]):
        return "doubled and mixed_in together must be at most 9: there are nine spare Singles."
    count = config["hands"] + config["practice_hands"]
    if count > at_most:
        return f"hands and practice_hands together must be at most {at_most}, not {count}."
    return None


def _as_dealt(hand: Opening) -> Opening:
    """The hand with the variations that its deal has: a deal file decides them by itself."""
    deal = parse_deal(hand.deal)
    return replace(hand, options={**hand.options, "doubled": deal.doubled, "mixed_in": deal.mixed_in})


def to_try(opening: Opening) -> Opening:
    """A hand to try, dealt as the session's hands are, for everybody alike."""
    return Opening(rules.deal("a triangle to try", opening.options), opening.options)
