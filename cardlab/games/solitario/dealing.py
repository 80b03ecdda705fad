"""Dealing a session: config and deal file, or the seed, made into openings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache, partial
from itertools import count
from typing import Any

from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    DRAWN_BY_SEED,
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
from cardlab.games.solitario import deal_file, rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.solver import solve

ACE_ON_TWO = {"pack": None, "on": True, "off": False}  # pack: as is usual with it (ruling 23)
SOLVABLE = "solvable"
NODES = 20_000  # that are looked at to see whether a deal can be solved; some seconds at most
TRIED = 200  # deals in a row of which none could be solved: then something is wrong


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """The hands of a session, practice first: the same for everybody, or each participant's own (see
    ``cardlab.games.dealing``). With ``which_deals`` solvable only those of which the solver knows that they
    are."""
    if wrong := _check_own(config, at_most):
        raise BadFile("session config", wrong)
    dealt = draw_or_read_deals(
        rules.deal, partial(deal_file.read, pack=config["pack"]), config, options_of(config), read
    )
    if config["which_deals"] == SOLVABLE:
        dealt = _only_solvable(dealt, config)
    practice, paid = config["practice_hands"], config["hands"]
    of_participants = [
        number_hands(
            [replace(next(dealt), practice=True) for _hand in range(practice)],
            [next(dealt) for _hand in range(paid)],
        )
        for _participant in range(participants if config["own_deals"] else 1)
    ]
    return DealtSession([list(of_hand) for of_hand in zip(*of_participants)], [])


def options_of(config: Config) -> dict[str, Any]:
    """The settings of a hand, as they stand in the record."""
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    ace_on_two = ACE_ON_TWO[config["ace_on_two"]]
    options["ace_on_two"] = config["pack"] == "french" if ace_on_two is None else ace_on_two
    return options


def _check_own(config: Config, at_most: int) -> str | None:
    wrong = (
        check_choices(
            config,
            {
                **ALLOWED_OPTIONS,
                "ace_on_two": tuple(ACE_ON_TWO),
                "own_deals": (False, True),
                "which_deals": ("any", SOLVABLE),
                "ten_best": ("off", "numbers", "labels"),
            },
        )
        or check_whole_numbers(config, {"hands": (1, at_most), "practice_hands": (0, at_most)})
        or check_names(config, ("deal_file",))
    )
    if wrong:
        return wrong
    hands = config["hands"] + config["practice_hands"]
    if hands > at_most:
        return f"hands and practice_hands together must be at most {at_most}, not {hands}."
    return None


def _only_solvable(dealt: Iterator[Opening], config: Config) -> Iterator[Opening]:
    """The hands that can be solved, the others being passed over; BadFile if there seem to be none."""
    passed_over = 0
    for opening in dealt:
        if can_be_solved(opening.deal, **_asked(opening.options)):
            passed_over = 0
            yield opening
        else:
            passed_over += 1
            if passed_over == TRIED:
                where = "session config" if config["deal_file"] == DRAWN_BY_SEED else opening.source
                raise BadFile(where, f"Of {TRIED} deals in a row none is known to be solvable.")


def _asked(options: dict[str, Any]) -> dict[str, Any]:
    return {key: options[key] for key in ("pack", "draw", "ace_on_two")}


@lru_cache(maxsize=1024)  # a session is checked, and then made, with the same deals
def can_be_solved(deal: str, pack: str, draw: int, ace_on_two: bool) -> bool | None:
    """Whether a deal can be solved by somebody who knows all cards; None if the search does not tell."""
    opening = rules.start(deal, {"pack": pack, "draw": draw, "ace_on_two": ace_on_two})
    found = solve(opening.position, PACKS[pack], draw=draw, ace_on_two=ace_on_two, nodes=NODES)
    return found.solvable


def to_try(opening: Opening) -> Opening:
    """The hand to try, the same for everybody who plays with the same settings: each step of the
    instructions can be done on it at once (``_teaches``)."""
    options = {**opening.options, "undo": False}
    return Opening(_deal_to_try(*(options[key] for key in ALLOWED_OPTIONS)), options)


@lru_cache
def _deal_to_try(*values: Any) -> str:
    options = dict(zip(ALLOWED_OPTIONS, values, strict=True))
    tables = (rules.deal(f"a table to try, {number}", options) for number in count(1))
    return next(deal for deal in tables if _teaches(rules.start(deal, options)))


def _teaches(state: rules.State) -> bool:
    """Whether a card can be laid on another so that one is uncovered, an ace can go home, and the first cards
    drawn can be laid on a column."""
    moves = list(rules.moves_of(state))
    sources = [state.columns[int(move.split()[1]) - 1] for move in moves if move.startswith("move")]
    uncovers = any(column.down and state.pack.rank_of(column.up[0]) for column in sources)
    drawn = rules.apply(state, rules.SEAT, rules.DRAW)
    laid = any(move.startswith(f"move {rules.WASTE}") for move in rules.moves_of(drawn))
    return uncovers and laid and any(move.startswith("home") for move in moves)
