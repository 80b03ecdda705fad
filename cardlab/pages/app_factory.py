"""Builds the parts of an oTree app that are the same in every app: its models, hooks and most of its pages.

An app defines the pages that differ from game to game as classes; ``solo_game`` and ``group_game`` make
everything else that oTree and Card Lab look for in its module. All classes have the app's name as their
module, because oTree derives tables, addresses and templates from it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple, TypeVar

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession, models
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

Class = TypeVar("Class")
# The function `openings` of a game's module dealing: config, participants, most hands, reader of files.
Openings = Callable[[Config, int, int, ReadFile], DealtSession]
Questions = Callable[[dict[str, Any]], list[Question]]  # from the options of a session's hands
Models = tuple[type[BaseConstants], type[BaseSubsession], type[BaseGroup], type[BasePlayer]]
# An app's functions ``deal``, ``check_session`` and ``creating_session``; where participants play in groups
# also ``group_by_arrival_time_method``.
Hooks = tuple[dealing.Deal, Callable[[Config, int], None], Callable[[Any], None]]
GroupHooks = tuple[
    dealing.Deal,
    Callable[[Config, int], None],
    Callable[[Any], None],
    Callable[[Any, list[Any]], list[Any] | None],
]


class SoloGame(NamedTuple):
    """What the module of an app needs in addition to its own pages, for a solo game."""

    models: Models
    hooks: Hooks
    pages: tuple[type[CheckPage], type[PausePage], type[ResultsPage]]


class GroupGame(NamedTuple):
    """The same where participants play in groups, and wait for each other on a page."""

    models: Models
    hooks: GroupHooks
    pages: tuple[type[GatherPage], type[CheckPage], type[PausePage], type[ResultsPage]]


def solo_game(
    url: str,
    rounds: int,
    fields: tuple[str, ...],
    openings: Openings,
    questions: Questions,
    instructions: type[TutorialPage],
    hand: type[HandPage],
    check: type[CheckPage] = CheckPage,
    results: type[ResultsPage] = ResultsPage,
    admin_fields: tuple[str, ...] = (),
) -> SoloGame:
    """Makes the rest of an app in which everybody plays alone.

    Args:
        url: the app's name in addresses.
        rounds: the maximum number of hands in a session.
        fields: the fields of all questions of the check.
        openings: deals the hands of a session.
        questions: returns the questions of the check.
        instructions: the app's page of instructions.
        hand: the app's page of a hand.
        check: the base class of the page of the check.
        results: the base class of the page of results.
        admin_fields: the columns of a player on oTree's page Data, () for all.
    """
    app = hand.__module__
    return SoloGame(
        _models(app, url, rounds, _player_columns(fields), {"opening": _opening()}, {}, admin_fields),
        _hooks(hand, openings, rounds, "opening", first_round=1),
        (
            _make("Check", check, app, instructions=instructions, questions=staticmethod(questions)),
            _make("Pause", PausePage, app, hand_page=hand),
            _make("Results", results, app, hand_page=hand),
        ),
    )


def group_game(
    url: str,
    rounds: int,
    fields: tuple[str, ...],
    openings: Openings,
    questions: Questions,
    instructions: type[TutorialPage],
    hand: type[GroupHandPage],
    groups: GroupRules,
    pause: type[PausePage] = PausePage,
    results: type[ResultsPage] = GroupResultsPage,
) -> GroupGame:
    """Makes the rest of an app in which participants play in groups.

    The first round has the instructions, so a session has at most ``rounds`` - 1 hands. A player has a
    ``seat`` in the group, "" for none, and the times when the browser came to the waiting page and when it
    last polled there.

    ``groups`` has the rules of matching and seating, and ``pause`` is the base class of the page between
    hands. The other arguments are those of :func:`solo_game`.
    """
    app = hand.__module__
    seat = {
        "seat": models.StringField(initial=""),
        "waiting_since_ms": models.FloatField(),
        "seen_waiting_ms": models.FloatField(),
    }
    columns = seat | _player_columns(fields), {"openings": _opening()}, {"opening": _opening()}

    def group_by_arrival_time_method(subsession: Any, waiting_players: list[Any]) -> list[Any] | None:
        return matchmaking.next_group(subsession, len(get_models_module(app).page_sequence))

    return GroupGame(
        _models(app, url, rounds, *columns, ("payoff", "seat")),
        (*_hooks(hand, openings, rounds - 1, "openings", first_round=2), group_by_arrival_time_method),
        (
            _make("Gather", GatherPage, app, groups=groups, texts=hand.texts),
            _make("Check", CheckPage, app, instructions=instructions, questions=staticmethod(questions)),
            _make("Pause", pause, app, hand_page=hand),
            _make("Results", results, app, hand_page=hand),
        ),
    )


def models_of_one_round(app: str, url: str, **columns: Any) -> Models:
    """Makes the models of an app that is not a game; ``columns`` are the columns of its players."""
    return _models(app, url, 1, columns)


def _models(
    app: str,
    url: str,
    rounds: int,
    player: dict[str, Any],
    subsession: dict[str, Any] | None = None,
    group: dict[str, Any] | None = None,
    admin_fields: tuple[str, ...] = (),
) -> Models:
    admin_columns = {"ADMIN_VIEW_FIELDS": {"player": [*admin_fields]}} if admin_fields else {}
    return (
        _make(
            "C",
            BaseConstants,
            app,
            NAME_IN_URL=url,
            PLAYERS_PER_GROUP=None,
            NUM_ROUNDS=rounds,
            **admin_columns,
        ),
        _make("Subsession", BaseSubsession, app, **(subsession or {})),
        _make("Group", BaseGroup, app, **(group or {})),
        _make("Player", BasePlayer, app, **player),
    )


def _player_columns(fields: tuple[str, ...]) -> dict[str, Any]:
    """Returns the columns of a player in every game, and one for each question; times in milliseconds."""
    return {
        "instructions_done_ms": models.FloatField(),
        "check_attempts": models.LongStringField(initial=""),
        "check_done_ms": models.FloatField(),
        "results_shown_ms": models.FloatField(),
        **{name: models.StringField(initial="") for name in fields},
    }


def _opening() -> Any:
    """Returns the column for the beginnings of hands, a line each; "" if there is none."""
    return models.LongStringField(initial="")


def _hooks(hand: type[HandPage], openings: Openings, max_rounds: int, column: str, first_round: int) -> Hooks:
    """Returns the functions that deal every hand of a session, ``max_rounds`` at most. They raise BadFile."""

    def deal(config: Config, participants: int) -> DealtSession:
        return openings(config, participants, max_rounds, partial(read_deal_file, hand.game))

    return deal, *dealing.session_hooks(deal, column, first_round)


def _make(name: str, base: type[Class], app: str, **attributes: Any) -> type[Class]:
    return type(name, (base,), {"__module__": app, "__doc__": base.__doc__, **attributes})
