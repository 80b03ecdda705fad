"""Target the Two for two: each has a keeper, and they bring the goal card into Target together."""

from typing import Any

from otree.api import BaseConstants, BaseGroup, BasePlayer, BaseSubsession

from cardlab.exports import tables
from cardlab.games.record import Opening
from cardlab.games.text_forms import Texts
from cardlab.games.ttt import board, measures, pairs, texts
from cardlab.games.ttt.questions import pair_questions
from cardlab.groups import rounds
from cardlab.pages.app_factory import group_game, group_player_fields, opening_field
from cardlab.pages.hand import GroupHandPage
from cardlab.pages.results import GroupResultsPage, PausePage
from cardlab.pages.tutorial import TutorialPage
from cardlab.sessions.config import config_of
from ttt_solo_app import keeper_files
from ttt_solo_app.boards import TargetBoard, TargetHand, session_hands, with_checked_back

doc = __doc__


class C(BaseConstants):
    """Constants of the app, for oTree."""

    NAME_IN_URL = "target_pair"
    PLAYERS_PER_GROUP = None  # the group_size of the session config decides
    NUM_ROUNDS = 61  # the instructions and the hands; another value would break sessions in the database
    ADMIN_VIEW_FIELDS = {"player": ["payoff", "seat"]}


class Subsession(BaseSubsession):
    """A round, and the hands that are dealt for it."""

    openings = opening_field()


class Group(BaseGroup):
    """The participants who play a hand together, and the hand."""

    opening = opening_field()


class Player(BasePlayer):
    """A participant in a round."""

    locals().update(
        group_player_fields(
            *("ck_into_target", "nk_into_target", "whose_turn"),
            *("what_is_seen", "what_is_told", "when_solved"),
        )
    )


class Board(TargetBoard):
    """What the hand and the board to try have in common."""

    RULES_FIELDS = (*TargetBoard.RULES_FIELDS, "turn_limit_seconds")

    @classmethod
    def rules_vars(cls, player: Any) -> dict[str, Any]:
        """Adds who the partner is and what one sees."""
        pair = texts.pair_rules_vars(config_of(player), session_hands(player))
        return {**super().rules_vars(player), **pair}

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds the seats of the robots."""
        return {**super().js_vars(player), "robots": list(cls.options(player)["robots"])}


class Instructions(TutorialPage, Board):
    """The rules, with a board to try against a robot."""

    STEPS = ("exchange", "partner", "look", "target", "pay")
    # For either keeper: the first move brings them the goal card; T is refused at first.
    DEALS = {"ck": "2H 3H 2C 4C 3C 4H | 2H | ck", "nk": "4H 2C 3C 4C 2H 3H | 2H | nk"}
    # Always a goal that is shown, and time and moves enough for what the coach asks.
    OPTIONS = {"ViewTarget": True, "MaxRounds": 20, "turn_limit_seconds": 0, "seed": "a hand to try"}

    @classmethod
    def opening(cls, player: Any) -> Opening:
        """Returns the board to try, with a robot as the partner."""
        seat = cls.seat(player)
        robots = {"robots": {board.other(seat): "informed"}}
        return Opening(cls.DEALS[seat], {**session_hands(player).last.options, **cls.OPTIONS, **robots})

    @classmethod
    def seat(cls, player: Any) -> str:
        """Returns the keeper that the participant will have, as far as that is known."""
        config = config_of(player)
        return board.other(config["robot_seat"]) if config["group_size"] == 1 else "ck"

    @classmethod
    def coach_texts(cls, player: Any) -> Texts:
        """Returns the coach's texts for a keeper."""
        return texts.pair_coach_texts(cls.seat(player))

    @classmethod
    def keys_sentence(cls) -> str:
        """Returns what the keys do where one has a keeper."""
        return texts.pair_keys_sentence()

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds whether the keeper's card must be uncovered."""
        return {**super().js_vars(player), "looks": not cls.options(player)["ViewCkNk"]}


class Hand(TargetHand, GroupHandPage, Board):
    """One hand of a show file."""

    template_name = "ttt_pair_app/Hand.html"

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds that the participant has another partner or keeper than in the hand before."""
        before = player.in_round(player.round_number - 1)
        new_partner = bool(before.seat) and partners_of(player) != partners_of(before)
        changed = texts.change_sentence(player.seat, before.seat, new_partner)
        return {**super().js_vars(player), "company": changed}


def partners_of(player: Any) -> list[str]:
    """Returns the participant codes of the others in the player's group."""
    return [other.participant.code for other in player.get_others_in_group()]


class Pause(PausePage):
    """After practice, after a hand whose time was up, and before a block with another partner or keeper."""

    hand_page = Hand

    @classmethod
    def sentences(cls, player: Any) -> list[str]:
        """Adds what changes in the next hand."""
        sentences, opening = super().sentences(player), Hand.opening(player)
        if opening is None or opening.is_last:
            return sentences
        after = player.in_round(player.round_number + 1)
        changed = texts.next_hand_sentence(player.seat, after.seat, rounds.is_matching_due(after))
        return [*sentences, *filter(None, [changed])]


class Results(GroupResultsPage):
    """The hands and the earnings, after the last hand."""

    hand_page = Hand
    template_name = "ttt_pair_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds what the pair has reached."""
        shown = super().vars_for_template(player)
        partners = {code for each in player.in_all_rounds() if each.seat for code in partners_of(each)}
        return {**shown, "of_pair": texts.pair_sentences(shown["rows"], len(partners))}


game = group_game(
    C.NUM_ROUNDS, with_checked_back(pairs.openings), pair_questions, Instructions, Hand, pairs.GROUPS
)
deal, check_session, creating_session = game.deal, game.check_session, game.creating_session
group_by_arrival_time_method = game.group_by_arrival_time_method
Gather, Check = game.Gather, game.Check
page_sequence = [Gather, Instructions, Check, Hand, Pause, Results]

# The downloads: docs/reference/data-dictionary.md.
custom_export, custom_export_hands, custom_export_participants = tables.game_exports(Hand, measures)
custom_export_tutorial = tables.tutorial_export(Instructions)
custom_export_ck_log, custom_export_nk_log, custom_export_transform = keeper_files.exports_of(Hand)
