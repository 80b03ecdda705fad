"""Deals the games of a session of Challenge from its config and a deal file or its seed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import cycle
from typing import Any

from cardlab.games.challenge import rules
from cardlab.games.challenge.deal import SIDES, parse_deal, read_deal_file
from cardlab.games.challenge.levels import FIRST_ADAPTIVE
from cardlab.games.challenge.options import ALLOWED_OPTIONS, DEFAULT_OPTIONS, NUMBERS, complete_options
from cardlab.games.challenge.packs import size_of
from cardlab.games.challenge.session_config import SETTINGS
from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    DRAWN_BY_SEED,
    Config,
    DealtSession,
    ReadFile,
    check_paid_game,
    waiting_options,
)
from cardlab.games.events import TUTORIAL_STEP
from cardlab.games.record import Opening
from cardlab.games.seating import GroupRules, Member, Seating
from cardlab.games.setting import check_settings

OPTIONS = (*(name for name in ALLOWED_OPTIONS if name != "analysing"), *NUMBERS, "trumps")
ADAPTIVE = "adaptive"  # the setting ``computer``
PRACTICE_SIZE = 3  # in a smaller practice game there is not always a card to beat

# The lessons of the instructions: a deal and its first moves. Each has one winning move at each turn.
LESSONS = {
    "lesson_trumps": ("AS KS QS KH AC QC KD QD | AH QH KC AD | computer", "AC"),
    "lesson_pick_up": ("AS QS KH QH KC QC AD KD QD | KS AH AC | computer", "AD"),
    "lesson_tempo": ("QS AH KH QH AC KC QC AD KD | AS KS QD | participant", ""),
    "lesson_forced_win": ("QS AH KH QH AC KC QC AD QD | AS KS KD | participant", ""),
}
LESSON_SETTINGS = {"after_pickup": "opponent", "after_better": "pass", "trumps": "SH"}  # required


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """Returns the games of a session (see ``cardlab.games.dealing``). Raises BadFile.

    All groups have the same games, or each possible group its own. :func:`assign_seats` assigns the seats
    when a group begins.
    """
    if problem := _check_own(config, participants, at_most):
        raise BadFile("session config", problem)
    try:
        options = complete_options(options_in_force(config))
    except ValueError as error:
        raise BadFile("session config", str(error)) from None
    groups = 1 if config["same_deals"] else participants  # each participant may become a group of one
    games = config["games"]
    dealt_groups = _deals(config, options, groups, read)
    robots = {"N": rules.COMPUTER} if config["group_size"] == 1 else {}
    hands = [
        [
            replace(
                group_openings[game],
                # The seed is for the actions of the computer and of the server for absent participants.
                options={
                    **group_openings[game].options,
                    **waiting_options(config),
                    **{"robots": robots, "seed": f"{config['seed']}, game {game + 1}, deal {group}"},
                },
                number=game + 1,
                of=games,
                hands=games,
            )
            for group, group_openings in enumerate(dealt_groups, 1)
        ]
        for game in range(games)
    ]
    return DealtSession(hands, [])


def options_in_force(config: Config) -> dict[str, Any]:
    """Returns the options of a game as its record stores them; if adaptive, those of the first game."""
    options = {name: config[name] for name in OPTIONS}
    if config["computer"] == ADAPTIVE and not options["level"]:
        options["level"] = FIRST_ADAPTIVE
    return options


def _deals(config: Config, options: dict[str, Any], groups: int, read: ReadFile) -> list[list[Opening]]:
    """Returns the deals of each group, game by game.

    The deals of a file are used in order and start over after the last; each has the size of its own pack.
    With ``dealer`` alternate, the computer deals first, so that the participant leads.
    """
    games = range(config["games"])
    if config["deal_file"] == DRAWN_BY_SEED:
        dealers = [config["dealer"]] if config["dealer"] in SIDES else list(SIDES)

        def draw_opening(group: int, game: int) -> Opening:
            seed = f"{config['seed']}, deal {group * len(games) + game + 1}"
            dealer = dealers[game % len(dealers)]
            return Opening(rules.deal(seed, {**options, "dealer": dealer}), options)

        return [[draw_opening(group, game) for game in games] for group in range(groups)]
    source = read(config["deal_file"], "deal file")
    texts: Iterator[str] = cycle(read_deal_file(source.text, source.name))

    def next_deal() -> Opening:
        deal = next(texts)
        size = size_of(card for hand in parse_deal(deal).hands for card in hand)
        return Opening(deal, {**options, "size": size}, source=source.name, sha256=source.sha256)

    return [[next_deal() for _game in games] for _group in range(groups)]


def _check_own(config: Config, participants: int, at_most: int) -> str | None:
    if problem := check_settings(config, SETTINGS, games=at_most):
        return problem
    if participants % config["group_size"]:
        return (
            f"{participants} participants cannot be put into pairs. Create the session with an "
            "even number. The setting no_shows decides what happens if a participant does not "
            "arrive."
        )
    if config["lessons"] and any(config[name] != value for name, value in LESSON_SETTINGS.items()):
        return f"lessons needs {', '.join(f'{name} {value}' for name, value in LESSON_SETTINGS.items())}."
    return check_paid_game(config, "the computer")


def assign_seats(_config: Config, members: Sequence[Member], _game: Opening) -> Seating:
    """Returns the seats of a group's members, and the computer's seat if one is free."""
    return rules.SEATS[: len(members)], {"N": rules.COMPUTER} if len(members) == 1 else {}


GROUPS = GroupRules(assign_seats)


def practice_opening(config: Config, _first: Opening) -> Opening:
    """Returns a small practice game. The participant leads, and the computer answers without a search."""
    options = {**options_in_force(config), "size": PRACTICE_SIZE, "depth": 0, "level": 0}
    options |= {"show": "all", "computer_sees": "all", "highlight": True, "hints": False}
    options |= {"robots": {"N": rules.COMPUTER}, "seed": "a game to try", "draw_offers": False}
    options |= {"claims": False, **{name: DEFAULT_OPTIONS[name] for name in ("max_actions", "claims_limit")}}
    return Opening(rules.deal("a game to try", {**options, "dealer": SIDES[0]}), options)


def lesson_opening(opening: Opening, step: str) -> Opening:
    """Returns the opening of a step of the instructions: that of its lesson, else the given one."""
    name = step.removeprefix(TUTORIAL_STEP)
    if name not in LESSONS:
        return opening
    deal, moves = LESSONS[name]
    return replace(opening, deal=deal, options={**opening.options, "moves": moves})


def analysis_opening(opening: Opening, state: rules.State, seat: str) -> Opening:
    """Returns the start of an analysis of a played game by the participant in ``seat``."""
    moves_text = " ".join(rules.spelled(move) for move in state.moves)
    options = {
        **opening.options,
        "analysing": True,
        "moves": moves_text,
        "show": "all",
        "computer_sees": "all",
    }
    options |= {"robots": {rules.other(seat): rules.COMPUTER}, "turn_limit_seconds": 0}
    options["claims_limit"] = 0  # an analysis is not paid
    return Opening(opening.deal, options)
