"""Builds the parts of a game's oTree app that are the same in every game.

An app has oTree's models, whose fields come from here, and pages. It defines as classes the pages that differ
from game to game; ``solo_game`` and ``group_game`` make the others. A page class has the app's name as its
module, because oTree derives addresses and templates from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from otree.api import models
from otree.common import get_models_module

from cardlab.games.dealing import Config, DealtSession, ReadFile
from cardlab.games.questions import Question
from cardlab.games.seating import GroupRules
from cardlab.groups import matchmaking
from cardlab.pages.comprehension_check import CheckPage
from cardlab.pages.hand import GroupHandPage, HandPage
from cardlab.pages.results import GroupResultsPage, PausePage, ResultsPage
from cardlab.pages.tutorial import TutorialPage
from cardlab.pages.waiting_page import GatherPage
from cardlab.sessions import dealing
from cardlab.sessions.deal_files import read_deal_file

PageClass = TypeVar("PageClass")
# The function `openings` of a game's module dealing: config, participants, most hands, reader of files.
Openings = Callable[[Config, int, int, ReadFile], DealtSession]
Questions = Callable[[dict[str, Any]], list[Question]]  # from the options of a session's hands


def player_fields(*questions: str) -> dict[str, Any]:
    """Returns the columns of a player who plays alone, and one for each question of the check.

    Use it as ``locals().update(player_fields(...))`` in the body of ``Player``: a mixin's columns would be
    copied by SQLAlchemy and lose the properties that oTree's forms need. Times are Unix milliseconds.
    """
    return {
        "instructions_done_ms": models.FloatField(),
        "check_attempts": models.LongStringField(initial=""),
        "check_done_ms": models.FloatField(),
        "results_shown_ms": models.FloatField(),
        **{name: models.StringField(initial="") for name in questions},
    }


def group_player_fields(*questions: str) -> dict[str, Any]:
    """Returns the columns of a player who has a seat in a group, "" for none.

    They also say since when and when last the player's browser was on the waiting page.
    """
    return {
        "seat": models.StringField(initial=""),
        "waiting_since_ms": models.FloatField(),
        "seen_waiting_ms": models.FloatField(),
        **player_fields(*questions),
    }


def opening_field() -> Any:
    """Returns the column for the beginnings of hands, a line each; "" if there is none.

    In a subsession: one for all, or one for each participant or group. In a group: its own.
    """
    return models.LongStringField(initial="")


class SoloGame(NamedTuple):
    """What oTree and Card Lab look for in the module of an app, beside its models and pages of its own."""

    deal: dealing.Deal
    check_session: Callable[..., None]
    creating_session: Callable[..., None]
    Check: type[CheckPage]
    Pause: type[PausePage]
    Results: type[ResultsPage]


class GroupGame(NamedTuple):
    """The same where participants play in groups, and wait for each other on a page."""

    deal: dealing.Deal
    check_session: Callable[..., None]
    creating_session: Callable[..., None]
    group_by_arrival_time_method: Callable[..., Any]
    Gather: type[GatherPage]
    Check: type[CheckPage]
    Pause: type[PausePage]
    Results: type[ResultsPage]


def solo_game(
    rounds: int,
    openings: Openings,
    questions: Questions,
    instructions: type[TutorialPage],
    hand: type[HandPage],
) -> SoloGame:
    """Makes the rest of an app in which everybody plays alone.

    ``rounds`` is the app's NUM_ROUNDS, the most hands that a session can have. ``instructions`` and ``hand``
    are its pages of these names.
    """
    app = hand.__module__
    deal = _deal(hand, openings, rounds)
    return SoloGame(
        deal,
        *dealing.session_hooks(deal),
        _page("Check", CheckPage, app, instructions=instructions, questions=staticmethod(questions)),
        _page("Pause", PausePage, app, hand_page=hand),
        _page("Results", ResultsPage, app, hand_page=hand),
    )


def group_game(
    rounds: int,
    openings: Openings,
    questions: Questions,
    instructions: type[TutorialPage],
    hand: type[GroupHandPage],
    groups: GroupRules,
) -> GroupGame:
    """Makes the rest of an app in which participants play in groups.

    The first round has the instructions, so a session has at most ``rounds`` - 1 hands. ``groups`` says who
    may play with whom, and who sits where.
    """
    app = hand.__module__
    deal = _deal(hand, openings, rounds - 1)

    def group_by_arrival_time_method(subsession: Any, waiting_players: list[Any]) -> list[Any] | None:
        return matchmaking.next_group(subsession, len(get_models_module(app).page_sequence))

    return GroupGame(
        deal,
        *dealing.session_hooks(deal, "openings", first_round=2),
        group_by_arrival_time_method,
        _page("Gather", GatherPage, app, groups=groups, texts=hand.texts),
        _page("Check", CheckPage, app, instructions=instructions, questions=staticmethod(questions)),
        _page("Pause", PausePage, app, hand_page=hand),
        _page("Results", GroupResultsPage, app, hand_page=hand),
    )


def _deal(hand: type[HandPage], openings: Openings, most: int) -> dealing.Deal:
    """Returns the function that deals every hand of a session, ``most`` at most. It raises BadFile."""

    def deal(config: Config, participants: int) -> DealtSession:
        return openings(config, participants, most, partial(read_deal_file, hand.game))

    return deal


def _page(name: str, base: type[PageClass], app: str, **attributes: Any) -> type[PageClass]:
    return type(name, (base,), {"__module__": app, "__doc__": base.__doc__, **attributes})
