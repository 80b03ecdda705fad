"""Deals the hands of a session of Solitario from its config and a deal file or its seed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from itertools import count
from typing import Any

from cardlab.games.contract import BadFile
from cardlab.games.dealing import (
    DRAWN_BY_SEED,
    Config,
    DealtSession,
    ReadFile,
    check_solo_config,
    deal_solo_session,
    draw_or_read_deals,
)
from cardlab.games.record import Opening
from cardlab.games.solitario import rules
from cardlab.games.solitario.deal import ALLOWED_OPTIONS, read_deal_file
from cardlab.games.solitario.packs import PACKS
from cardlab.games.solitario.session_config import SETTINGS
from cardlab.games.solitario.solver import solve

ACE_ON_TWO = {"pack": None, "on": True, "off": False}  # pack: the usual rule of the pack (ruling 23)
SOLVABLE = "solvable"
NODES = 20_000  # the solver's budget for a deal: some seconds at most
MAX_REJECTED = 200  # limit of unsolvable deals in a row, after which an error is raised


def openings(config: Config, participants: int, at_most: int, read: ReadFile) -> DealtSession:
    """Returns the hands of a session, practice first (see ``cardlab.games.dealing``). Raises BadFile.

    With ``which_deals`` solvable, only deals that the solver has solved are used.
    """
    if problem := check_solo_config(config, SETTINGS, at_most):
        raise BadFile("session config", problem)
    read_deals = partial(read_deal_file, pack=config["pack"])
    openings_dealt = draw_or_read_deals(rules.deal, read_deals, config, options_in_force(config), read)
    if config["which_deals"] == SOLVABLE:
        openings_dealt = _solvable_hands(openings_dealt, config)
    return deal_solo_session(openings_dealt, config, participants)


def options_in_force(config: Config) -> dict[str, Any]:
    """Returns the options of a hand as its record stores them."""
    options = {key: config[key] for key in ALLOWED_OPTIONS}
    ace_on_two = ACE_ON_TWO[config["ace_on_two"]]
    options["ace_on_two"] = config["pack"] == "french" if ace_on_two is None else ace_on_two
    return options


def _solvable_hands(hands: Iterator[Opening], config: Config) -> Iterator[Opening]:
    """Yields the solvable hands and skips the others. Raises BadFile after too many unsolvable ones."""
    rejected_count = 0
    for opening in hands:
        if is_solvable(opening.deal, *(opening.options[key] for key in ("pack", "draw", "ace_on_two"))):
            rejected_count = 0
            yield opening
        else:
            rejected_count += 1
            if rejected_count == MAX_REJECTED:
                file = "session config" if config["deal_file"] == DRAWN_BY_SEED else opening.source
                raise BadFile(
                    file,
                    f"{MAX_REJECTED} deals in a row have no known solution. Use other deals, or "
                    "set which_deals to any.",
                )


@lru_cache(maxsize=1024)  # the creation of a session deals twice, first for validation
def is_solvable(deal: str, pack: str, draw: int, ace_on_two: bool) -> bool | None:
    """Returns whether a deal can be solved with all cards known; None if the search does not decide."""
    state = rules.start(deal, {"pack": pack, "draw": draw, "ace_on_two": ace_on_two})
    return solve(state.position, PACKS[pack], draw=draw, ace_on_two=ace_on_two, nodes=NODES).solvable


def practice_opening(_config: Config, opening: Opening) -> Opening:
    """Returns the practice board of the instructions, the same for everybody with the same settings.

    Each step of the instructions can be done on it at once.
    """
    options = {**opening.options, "undo": False}
    return Opening(_practice_deal(*(options[key] for key in ALLOWED_OPTIONS)), options)


@lru_cache
def _practice_deal(*values: Any) -> str:
    options = dict(zip(ALLOWED_OPTIONS, values, strict=True))
    tables = (rules.deal(f"a table to try, {number}", options) for number in count(1))
    return next(deal for deal in tables if _allows_all_steps(rules.start(deal, options)))


def _allows_all_steps(state: rules.State) -> bool:
    """Returns whether a move can uncover a card, an ace can go home, and the first drawn card fits."""
    moves = list(rules.legal_moves(state))
    sources = [state.columns[int(move.split()[1]) - 1] for move in moves if move.startswith("move")]
    uncovers = any(column.down and state.pack.rank_of(column.up[0]) for column in sources)
    state_after_draw = rules.apply(state, rules.SEAT, rules.DRAW)
    laid = any(move.startswith(f"move {rules.WASTE}") for move in rules.legal_moves(state_after_draw))
    return uncovers and laid and any(move.startswith("home") for move in moves)
