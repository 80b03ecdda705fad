"""The pages of Target the Two for two that show changes of partner or keeper, and the pair's results."""

from typing import Any

from cardlab.games.ttt import texts
from cardlab.groups import rounds
from cardlab.pages.hand import GroupHandPage
from cardlab.pages.results import GroupResultsPage, PausePage
from ttt_solo_app.boards import TargetBoard, TargetHand


class PairHand(TargetHand, GroupHandPage, TargetBoard):
    """A hand, which begins with any change of partner or keeper."""

    @classmethod
    def js_vars(cls, player: Any) -> dict[str, Any]:
        """Adds a sentence if the participant has another partner or keeper than in the last hand."""
        last_player = player.in_round(player.round_number - 1)
        new_partner = bool(last_player.seat) and partners_of(player) != partners_of(last_player)
        change_sentence = texts.change_sentence(player.seat, last_player.seat, new_partner)
        return {**super().js_vars(player), "change_sentence": change_sentence}


class PairPause(PausePage):
    """The page after practice or a timeout, and before a block with another partner or keeper."""

    @classmethod
    def sentences(cls, player: Any) -> list[str]:
        """Adds what changes in the next hand."""
        sentences, opening = super().sentences(player), cls.hand_page.opening(player)
        if opening is None or opening.is_last:
            return sentences
        next_player = player.in_round(player.round_number + 1)
        next_sentence = texts.next_hand_sentence(
            player.seat, next_player.seat, rounds.is_matching_due(next_player)
        )
        return [*sentences, *filter(None, [next_sentence])]


class PairResults(GroupResultsPage):
    """The hands and the earnings, after the last hand."""

    template_name = "ttt_pair_app/Results.html"

    @classmethod
    def vars_for_template(cls, player: Any) -> dict[str, Any]:
        """Adds the results of the pair."""
        variables = super().vars_for_template(player)
        partners = {
            code
            for round_player in player.in_all_rounds()
            if round_player.seat
            for code in partners_of(round_player)
        }
        return {**variables, "of_pair": texts.pair_sentences(variables["rows"], len(partners))}


def partners_of(player: Any) -> list[str]:
    """Returns the participant codes of the others in the player's group."""
    return [other.participant.code for other in player.get_others_in_group()]
