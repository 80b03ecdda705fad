"""What the pages of Target the Two have in common, with one player or two."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from otree.common import get_models_module
from otree.models import Session

from cardlab.games.dealing import Config, DealtSession, ReadFile
from cardlab.games.events import Event
from cardlab.games.hand import Hand
from cardlab.games.record import read_opening
from cardlab.games.ttt import texts
from cardlab.live.seat import Seat
from cardlab.pages.app_factory import Openings
from cardlab.pages.board import BoardPage
from cardlab.pages.hand import HandPage
from cardlab.sessions import treatments
from cardlab.sessions.config import config_of
from cardlab.sessions.dealing import lines_of
from ttt_solo_app import backs, keeper_files


def with_checked_back(openings: Openings) -> Openings:
    """Returns a function that deals a session likewise, and raises BadFile if the cards' back is missing."""

    def checked(config: Config, participants: int, most: int, read: ReadFile) -> DealtSession:
        dealt = openings(config, participants, most, read)
        backs.check_back(dealt.hands[0][0].options["CardsBackFile"])
        return dealt

    return checked


def session_hands(player: Any) -> texts.SessionHands:
    """Returns what the hands of the player's session, or of their treatment, have in common."""
    app, code = player.get_folder_name(), player.participant._session_code
    return _session_hands(app, code, treatments.row_treatment(player))


@lru_cache(maxsize=64)
def _session_hands(app: str, session_code: str, treatment: str) -> texts.SessionHands:
    model = get_models_module(app).Subsession
    rounds = model.objects_filter().join(Session).filter(Session.code == session_code)
    field = "openings" if hasattr(model, "openings") else "opening"
    openings = [
        read_opening(line)
        for subsession in sorted(rounds, key=lambda one: one.round_number)
        for line in lines_of(getattr(subsession, field), treatment)
    ]
    return texts.SessionHands.from_openings(openings)


class TargetBoard(BoardPage):
    """A board of Target the Two."""

    game = "ttt"
    RULES_FIELDS: tuple[str, ...] = ("practice_hands",)

    @classmethod
    def scoring_config(cls, player: Any) -> Config:
        """Adds the options of the hands: the settings file says how they are paid."""
        return {**config_of(player), **session_hands(player).last.options}

    @classmethod
    def lowest_score(cls, config: Config) -> float:
        """Returns 0, the score of a hand that is not solved."""
        return 0

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Adds what the hands have in common."""
        hands = session_hands(player)
        twice = texts.clicks_twice(config_of(player), hands.last.options)
        return {**super().rules_vars(player), **texts.rules_vars(hands), "click_twice": twice}

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the image of the cards' backs, and whether an exchange needs a second click."""
        options = cls.options(player)
        twice = texts.clicks_twice(config_of(player), options)
        back = backs.image_url(options["CardsBackFile"])
        return {**super().js_vars(player), "back_url": back, "twice": twice}


class TargetHand(HandPage):
    """A hand of Target the Two that counts, beside its board."""

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether the hand is paid by time."""
        timed = cls.options(player)["pay_by"] == "time"
        return {**super().js_vars(player), "timed": timed}

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds which keys look at cards."""
        options = cls.options(player)
        looks, both = not options["ViewCkNk"], options["ViewCard"] != "none"
        return {**super().vars_for_template(player), "looks": looks, "both": both}

    @classmethod
    def news(cls, player: Any) -> str:
        """Returns that the goal card, if it is shown, or the first mover differs from the hand before."""
        before = cls.opening(player.in_round(player.round_number - 1)) if player.round_number > 1 else None
        now = cls.opening(player)
        return texts.news(now, before) if now and before else ""

    @classmethod
    def update_logs(cls, seat: Seat, hand: Hand, events: list[Event], records: Any) -> list[str]:
        """Adds the events to the growing ck and nk logs."""
        return keeper_files.grow_files(seat, hand, events, records)
