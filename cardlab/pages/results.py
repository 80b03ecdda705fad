"""The pages between two hands and after the last one: pause and results."""

from __future__ import annotations

from collections import Counter
from gettext import gettext as _
from typing import Any

from otree.api import Page

from cardlab.core.clock import now_ms
from cardlab.games.contract import Result
from cardlab.games.hand import Hand
from cardlab.games.number_format import plain
from cardlab.games.pay import drawn_hand
from cardlab.groups import rounds
from cardlab.live import notices
from cardlab.live.lab import LAB
from cardlab.pages import texts
from cardlab.pages.hand import HandPage
from cardlab.pages.shell import ShellPage
from cardlab.sessions import completion, money, treatments
from cardlab.sessions.apps import games_of
from cardlab.sessions.arrival import mark_finished
from cardlab.sessions.config import config_of, payoff

PAUSE_SECONDS = 120  # time to read, between two hands with a time limit


class PausePage(ShellPage, Page):
    """A page after a timeout or the last practice hand. Subclasses set ``hand_page``.

    If hands have a time limit, the page continues automatically, so that nobody waits for a dropout.
    """

    template_name = "cardlab/Pause.html"
    hand_page: type[HandPage]

    @property
    def timer_text(self) -> str:  # type: ignore[override]  # oTree's is an attribute
        """What oTree writes before the time that is left."""
        return _("Time until the next page:")

    @classmethod
    def sentences(cls, player: Any) -> list[str]:
        """Returns the sentences of the page, which is skipped without any."""
        opening, hand = cls.hand_page.opening(player), cls.hand_page.hand(player)
        if hand is None or opening is None or opening.is_last:
            return []
        seat, sentences = cls.hand_page.seat(player), []
        if hand.outcome_for(seat) == "timeout":
            score = plain(hand.result(seat).score)
            sentences.append(_("Time is up. Your score: {score}").format(score=score))
        if opening.practice and opening.number == opening.of:
            sentences.append(_("Practice is over. From now on, the hands count."))
        return sentences

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the page has sentences and the participant plays on."""
        return bool(cls.sentences(player)) and not cls.hand_page.has_stopped(player)

    @classmethod
    def get_timeout_seconds(cls, player: Any) -> float | None:
        """Returns the page's time limit in seconds, if hands have one."""
        return PAUSE_SECONDS if config_of(player)["time_limit_seconds"] else None

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the sentences."""
        return {"sentences": cls.sentences(player)}


class ResultsPage(ShellPage, Page):
    """The hands and the earnings, after the last hand. Subclasses set ``hand_page``.

    A game's own template extends ``cardlab/Results.html``; the player needs ``results_shown_ms``.
    """

    template_name = "cardlab/Results.html"
    ends_app = True
    hand_page: type[HandPage]

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the hand of this round was the last, or the researcher has ended the study."""
        opening = cls.hand_page.opening(player)
        return (opening is not None and opening.is_last) or _has_been_ended(player)

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Returns the table of hands, the earnings, and how the session ends or continues."""
        if player.field_maybe_none("results_shown_ms") is None:
            player.results_shown_ms = now_ms()
        cls.publish_results(player)
        config, participant, page = config_of(player), player.participant, cls.hand_page
        app_number = config["app_sequence"].index(player.get_folder_name())
        upcoming = config["app_sequence"][app_number + 1 :]
        if not upcoming:  # else what follows decides
            mark_finished(participant)
        hands, shows_earnings = cls.table(player), config["show_earnings"]
        columns = page.texts.result_columns()
        return {
            **hands,
            "columns": [heading for heading, _cell in columns],
            "table": [
                (number, [cell(result) for _heading, cell in columns], *score_and_points)
                for number, result, *score_and_points in hands["rows"]
            ],
            "plays_games": page.plays_games,
            "drawn_text": texts.drawn_hand_sentence(hands["drawn"], page.plays_games)
            if hands["drawn"]
            else "",
            **page.best_vars(player),
            "in_group": page.row(player) is not player,
            "pay_text": cls.pay_sentences(player) if hands["rows"] and shows_earnings else [],
            "show_earnings": shows_earnings,
            "earnings": money.earnings_table(player, games_of(config), upcoming) if shows_earnings else [],
            "receipt": money.receipt(participant) if shows_earnings and not upcoming else None,
            "more": bool(upcoming),
            "stopped": page.has_stopped(player),
            "ended": _has_been_ended(player),
            **({} if upcoming else completion.completion_of(participant)._asdict()),
        }

    @classmethod
    def pay_sentences(cls, player: Any) -> list[str]:
        """Returns how a score was paid."""
        page = cls.hand_page
        lowest_score = page.texts.score_guide(page.scoring_config(player)).lowest
        return texts.pay_sentences(config_of(player), page.plays_games, lowest_score)

    @classmethod
    def before_next_page(cls, player: Any, timeout_happened: bool) -> None:
        """Publishes the results, also of participants who skip the page."""
        cls.publish_results(player)

    @classmethod
    def paid_hands(cls, player: Any) -> list[tuple[Hand, str]]:
        """Returns the player's hands that have begun, with their seats, without practice."""
        page = cls.hand_page
        hands = [
            (page.hand(round_player), page.seat(round_player)) for round_player in player.in_all_rounds()
        ]
        return [(hand, seat) for hand, seat in hands if hand and not hand.opening.practice]

    @classmethod
    def publish_results(cls, player: Any) -> None:
        """Writes the results by app into ``participant.vars["cardlab"]``, for later apps."""
        results = [hand.result(seat) for hand, seat in cls.paid_hands(player)]
        summary = {
            "score": sum(result.score for result in results),
            "scores": [result.score for result in results],
            "outcomes": dict(Counter(result.outcome for result in results)),
            "payoff": float(sum(round_player.payoff for round_player in player.in_all_rounds())),
            "treatment": treatments.treatment_of(player.participant),
        }
        # Read last, because oTree loses changes of vars at its next query.
        participant_vars = player.participant.vars
        participant_vars["cardlab"] = {
            **participant_vars.get("cardlab", {}),
            player.get_folder_name(): summary,
        }

    @classmethod
    def table(cls, player: Any) -> dict[str, Any]:
        """Returns the ``rows`` of all hands but practice, and the number of the ``drawn`` one or 0."""
        config, participant, hands = config_of(player), player.participant, cls.paid_hands(player)
        draws_hand = config["pay_hands"] == "one" and config["show_earnings"] and hands
        return {
            "rows": [cls._row(player, hand, hand.result(seat)) for hand, seat in hands],
            "drawn": drawn_hand(config, participant.id_in_session, hands[0][0].opening.of)
            if draws_hand
            else 0,
        }

    @staticmethod
    def _row(player: Any, hand: Hand, result: Result) -> tuple[int, Result, str, str]:
        """Returns a hand's number, result, score and earned points, which are "" if earnings are hidden.

        Only the sum is converted into money, because the hands' rounded amounts would not add up to it.
        """
        config, cells = config_of(player), (hand.opening.number, result, plain(result.score))
        if not config["show_earnings"]:
            return *cells, ""
        points = payoff(config, hand.opening, player.participant.id_in_session, result.score)
        return *cells, plain(money.points_as_score(config, points))

    @classmethod
    def ends_session(cls, player: Any) -> bool:
        """Returns whether the participant stopped or was ended in the session's last app.

        Then no page follows.
        """
        apps = player.session.config["app_sequence"]
        return apps[-1] == player.get_folder_name() and (
            cls.hand_page.has_stopped(player) or _has_been_ended(player)
        )

    @classmethod
    def app_after_this_page(cls, player: Any, upcoming_apps: list[str]) -> str | None:
        """Returns the next app, which skips rounds without a hand."""
        return upcoming_apps[0] if upcoming_apps else None


class GroupResultsPage(ResultsPage):
    """The results page of a game for groups."""

    @classmethod
    def is_displayed(cls, player: Any) -> bool:
        """Returns whether the player has no further game, has stopped or was taken here."""
        return rounds.is_last_game(player) or cls.hand_page.has_stopped(player) or _has_been_ended(player)


def _has_been_ended(player: Any) -> bool:
    return notices.has_been_ended(LAB.page_records, player.participant_id)
