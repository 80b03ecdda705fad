"""The base class of pages on which a hand is played: the hand page, the tutorial and the game review.

A game's own page says which rules it plays and which row owns the hand. The board is played over the hand
socket (``cardlab.live.hand_socket``); oTree's form only says "on to the next page".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from gettext import gettext as _
from importlib import import_module
from typing import Any, Protocol

from otree.api import Page

from cardlab import folders
from cardlab.core.hand_cache import UnreadableRecord, read_hand
from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.hand import Hand
from cardlab.games.record import Opening
from cardlab.games.text_forms import Texts
from cardlab.live import pauses
from cardlab.live.lab import LAB
from cardlab.live.seat import Playable, seat_with_stopped
from cardlab.pages import texts
from cardlab.pages.shell import ShellPage
from cardlab.sessions import money
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import openings_for, openings_of_session

STATIC = folders.OWN / "_static"


class GameTexts(Protocol):
    """A game's texts for participants: the module ``cardlab.games.<game>.texts``.

    ``config`` is the session config as it holds for the participant; for scores it has the hands' options too
    (``BoardPage.scoring_config``).
    """

    def board_texts(self) -> Texts:
        """Returns the texts of the board's scripts, by name."""

    def coach_texts(self, options: dict[str, Any], /) -> Texts:
        """Returns the texts of the tutorial's script, by name, for the options of the board to try."""

    def keys_sentence(self, options: dict[str, Any], /) -> str:
        """Returns a sentence about the keys of the board to try, for screen readers; "" without keys."""

    def rules_vars(self, config: Config, hands: Callable[[], Sequence[Opening]], /) -> dict[str, Any]:
        """Returns the variables of the app's ``Rules.html``; never what a participant may not know.

        They must not include the seed: oTree's debug panel shows them all. ``hands`` returns the session's.
        """

    def score_sentences(self, config: Config, /) -> list[str]:
        """Returns sentences about how a hand is scored."""

    def score_guide(self, config: Config, /) -> ScoreGuide:
        """Returns the scores that participants read about.

        The instructions have the pay of the bad and the good one, the consent that of the bounds.
        """

    def result_columns(self) -> list[tuple[str, Callable[[Result], object]]]:
        """Returns the results table's columns between number and score: headings, and functions for cells."""


class GroupTexts(GameTexts, Protocol):
    """The texts of a game for groups."""

    def too_few_sentence(self, config: Config, /) -> str:
        """Returns a sentence about what happens if there are too few people for a game."""


class _LazyRow:
    """A row that is loaded when a template reads it, because the templates of hands do not."""

    def __init__(self, load: Callable[[], Any]) -> None:
        self._load = load

    def __getattr__(self, name: str) -> Any:
        return getattr(self._load(), name)


class BoardPage(ShellPage, Playable, Page):
    """A page on which one hand is played.

    A game's subclass sets ``game``, the folder in ``cardlab/games`` that has its ``rules`` and ``texts``, and
    in ``_static`` and ``_templates``. Where participants call a hand a game, it sets ``plays_games``.
    """

    game: str
    texts: GameTexts
    plays_games = False
    GroupClass: Any  # set by oTree

    def __init_subclass__(cls) -> None:
        if "game" in cls.__dict__:
            cls.rules = import_module(f"cardlab.games.{cls.game}.rules")
            cls.texts = import_module(f"cardlab.games.{cls.game}.texts")

    @property
    def group(self) -> Any:
        """The player's group, for a lab's own templates."""
        return _LazyRow(lambda: self.GroupClass.objects_get(id=self.player.group_id))

    @property
    def subsession(self) -> Any:
        """The player's subsession, for a lab's own templates."""
        return _LazyRow(lambda: self.player.subsession)

    @classmethod
    def opening(cls, player: Any) -> Opening | None:
        """Returns the opening of the player's hand in this round; None without one."""
        openings = openings_for(player, player.round_number)
        return openings[(player.participant.id_in_session - 1) % len(openings)] if openings else None

    @classmethod
    def hand(cls, player: Any) -> Hand | None:
        """Returns the recorded hand; None before it was first shown or if its record is damaged.

        The hand socket notifies the researcher of a damaged record.
        """
        hand_id = cls.hand_id(player)
        try:
            return read_hand(LAB.page_records.end(hand_id), cls.rules, hand_id, LAB.page_records)
        except UnreadableRecord:
            return None

    @classmethod
    def first_opening(cls, player: Any) -> Opening:
        """Returns the opening of the session's first hand, on which tutorial and check are based."""
        return (openings_for(player, 1) or openings_for(player, 2))[0]

    @classmethod
    def shown_opening(cls, player: Any) -> Opening:
        """Returns the opening of a displayed page's hand. Raises LookupError if the round has none."""
        opening = cls.opening(player)
        if opening is None:
            raise LookupError("the round has no hand")
        return opening

    @classmethod
    def options(cls, player: Any) -> dict[str, Any]:
        """Returns the options of a displayed page's hand."""
        return cls.shown_opening(player).options

    @classmethod
    def has_stopped(cls, player: Any) -> bool:
        """Returns whether the participant stopped in this hand and plays no further hands of the app."""
        hand = cls.hand(player)
        return hand is not None and hand.seats[cls.seat(player)].stopped

    @classmethod
    def scoring_config(cls, player: Any) -> Config:
        """Returns the settings on which the score of the player's hands depends."""
        return {**config_of(player), **cls.first_opening(player).options}

    @classmethod
    def pay_sentences(cls, player: Any) -> list[str]:
        """Returns sentences about scoring and payment."""
        config = cls.scoring_config(player)
        guide = cls.texts.score_guide(config)
        return [
            *cls.texts.score_sentences(config),
            *texts.pay_sentences(config, cls.plays_games, guide.lowest),
            *money.pay_sentences(config, cls.plays_games, guide),
        ]

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Returns the variables of the app's ``Rules.html``."""
        variables = cls.texts.rules_vars(config_of(player), partial(openings_of_session, player))
        return {**variables, "pay_text": cls.pay_sentences(player)}

    @classmethod
    def template_vars(cls, player: Any) -> dict[str, Any]:
        """Returns the templates ``rules``, with its variables, and ``board``, and the game's ``styles``."""
        return {
            **rules_template_vars(cls, player),
            "game": cls.game,
            "board": f"{cls.game}/Board.html",
            "styles": styles_of(cls.game),
        }

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the round has a hand for the player."""
        return cls.opening(player) is not None

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Returns the data of the page's scripts, except for what the hand socket sends."""
        LAB.prepared_seats.prepare(cls, player)
        participant, options = player.participant, cls.options(player)
        return {
            "socket": f"/hand/{participant.code}/{participant._index_in_pages}",
            "hand": cls.hand_number(player),
            "light_up": config_of(player)["light_up"],
            "words": {**texts.input_texts(), **cls.texts.board_texts()},
            **({"robots": [*options["robots"]]} if "robots" in options else {}),
        }

    @classmethod
    def error_message(cls, player: Any, values: dict[str, Any]) -> str | None:
        """Returns an error message if the hand is not over."""
        hand = cls.hand(player)
        if hand is None or not hand.is_over_for(cls.seat(player)):
            return _("Please play to the end first.")
        return None

    @classmethod
    def before_next_page(cls, player: Any, timeout_happened: bool) -> None:
        """Closes the hand, or leaves it to the co-players.

        Timeouts and advancing by the researcher bypass ``error_message``.
        """
        outcome = "timeout" if _is_past_timeout(player.participant) else "advanced"
        with suppress(UnreadableRecord):  # a damaged record is not changed and pays nothing
            LAB.service.leave_and_write(seat_with_stopped(cls, player), outcome, LAB.page_records)


@cache
def styles_of(game: str) -> list[str]:
    """Returns the names of a game's own style files: one or none."""
    name = f"{game}.css"
    return [name] if (STATIC / game / name).exists() else []


def rules_template_vars(page: type[BoardPage], player: Any) -> dict[str, Any]:
    """Returns the template of the session's rules as ``rules``, and its variables."""
    return {"rules": f"{player.get_folder_name()}/Rules.html", **page.rules_vars(player)}


def _is_past_timeout(participant: Any) -> bool:
    """Returns whether the page's time limit is up; oTree also treats advancing as a timeout."""
    return (
        participant._timeout_page_index == participant._index_in_pages
        and participant._timeout_expiration_time is not None
        and participant._timeout_expiration_time - pauses.page_time(participant) < 2
    )
