"""Returns the texts that participants read on the board, in replays and on the other pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from cardlab.games.challenge.commands import command_list
from cardlab.games.challenge.dealing import options_in_force
from cardlab.games.challenge.packs import RANKS, SUITS
from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import DRAWN_BY_SEED, Config
from cardlab.games.language import cached_by_language
from cardlab.games.number_format import plain
from cardlab.games.record import Opening
from cardlab.games.text_forms import Texts, by_count, by_device


@cached_by_language
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/challenge), which fill in the braces.

    Cached, because gettext searches its files for each text.
    """
    return {
        **_card_names(),
        **_opponent_sentences(),
        "name_you": _("You"),
        "name_robot": _("Computer"),
        "name_other": _("Other player"),
        "trumps": _("trumps: {suit}"),
        "cards": by_count(lambda count: ngettext("{count} card", "{count} cards", count)),
        "picked_up": by_count(lambda count: ngettext("{count} pick-up", "{count} pick-ups", count)),
        "tag_your_turn": _("your turn"),
        "tag_thinking": _("thinking"),
        "tag_away": _("elsewhere"),
        # The table, for screen readers.
        "table_empty": _("The table is empty."),
        "table_one": _("On the table: {top}."),
        "table_top": by_count(
            lambda count: ngettext(
                "On the table: {count} card, {top}.", "On the table: {count} cards, {top} on top.", count
            )
        ),
        "table_cards": _("On the table: {top} on top. Under it: {cards}."),
        "count_on_table": _("{count} on the table"),
        "fits": _("{card}, playable"),
        # The turn, the possible actions, and the last action.
        "lead": _("Your turn. The table is empty: play any card."),
        "lead_on": _("You have beaten the card. Now play any card on top of it."),
        "beat": by_count(
            lambda count: ngettext(
                "Your turn. Beat the {card} or pick it up.",
                "Your turn. Beat the {card} or pick up the {count} cards.",
                count,
            )
        ),
        "only_pick_up": by_count(
            lambda count: ngettext(
                "Your turn. You cannot beat the {card}: pick it up.",
                "Your turn. You cannot beat the {card}: pick up the {count} cards.",
                count,
            )
        ),
        "waiting": _("Waiting for the other player …"),
        "waiting_away": _("Waiting for the other player, who is not on this page right now."),
        "away": _("The other player is not on this page right now."),
        "over": _("The game is over."),
        "deadline_you": _("The computer plays for you in {time}"),
        "hurry": _("{seconds} seconds left."),
        "you_played": _("You played {card}."),
        "played_for_you": _("Time ran out: {card} was played for you."),
        "you_picked": by_count(
            lambda count: ngettext("You picked up {count} card.", "You picked up {count} cards.", count)
        ),
        "you_picked_all": _("You picked up all the cards."),
        "picked_for_you": by_count(
            lambda count: ngettext(
                "Time ran out: {count} card was picked up for you.",
                "Time ran out: {count} cards were picked up for you.",
                count,
            )
        ),
        "picked_for_you_all": _("Time ran out: the cards were picked up for you."),
        "twice": _("This position has occurred twice. If it occurs again, the game is a draw."),
        "left": by_count(
            lambda count: ngettext(
                "{count} move left. After that, the game is a draw.",
                "{count} moves left. After that, the game is a draw.",
                count,
            )
        ),
        "drop_where": _("Drop the card on the table."),
        "how_to_play": by_device(
            _("Click a card to play it, or drag it here."), _("Tap a card to play it, or drag it here.")
        ),
        "first_lead": _("You have beaten the card. Now play another one."),
        "nothing_to_pick_up": _("There is nothing to pick up: the table is empty."),
        # The player's own answers to draw offers and claims.
        "you_accept_offer": _("You have accepted the draw."),
        "you_decline_offer": _("You have declined the draw."),
        "you_accept_claim": _("You have accepted the claim: you lose."),
        "you_decline_claim": _("You have rejected the claim. The game goes on."),
        "claims_left": by_count(
            lambda count: ngettext(
                "You can claim a win {count} more time.", "You can claim a win {count} more times.", count
            )
        ),
        "no_claims_left": _("You cannot claim a win again in this game."),
        "first_answer": _("First accept or decline."),
        "asked_already": _("You have already asked. Now make your move."),
        "only_empty_table": _("You can do this only on your turn, when the table is empty."),
        "not_now": _("That is not possible now."),
        # The computer's advice, and the review of a game.
        "advice": _("The computer would play {card}."),
        "advice_pick_up": _("The computer would pick up."),
        "line": _("The game might continue: {moves}."),
        "a_pick_up": _("pick up"),
        "standing_won": _("You are sure to win."),
        "standing_lost": _("You lose if the other player plays well."),
        "standing_drawn": _("The game is a draw if both players play well."),
        "standing_even": _("Neither player is ahead."),
        "standing_ahead": _("You are ahead."),
        "standing_behind": _("You are behind."),
        "went_back": _("You are back at your previous turn."),
        "passed": _("You let the other player lead."),
        "set_up": _("You have all the cards. Play the cards that the other player should have."),
        "no_turn_before": _("This is your first turn: you cannot go back further."),
        "game_ended": _("The game is over. Undo a move or set up a position."),
        "analysed_to_end": _("Undo a move or set up a position."),
        # Answers to typed commands.
        "may": _("You may play: {cards}."),
        "may_or_pick_up": _("You may play: {cards}. You may also pick up."),
        "may_pick_up": _("You can only pick up."),
        "may_nothing": _("You cannot play anything now."),
        "marks_on": _("The cards you may play are highlighted."),
        "marks_off": _("The cards you may play are no longer highlighted."),
        "log_on": _("This game is included in the log."),
        "log_off": _("This game is not included in the log."),
        "no_rules": _("The instructions are not available here."),
        "only_in_analysis": _("You can do this only when you review a game."),
        "next_when_over": _("The next game begins when this one is over."),
        # How a game ended, by outcome and ``view.ended``.
        "won_out": _("You win: you played your last card."),
        "lost_resigned": _("You lose: you resigned."),
        "lost_claimed": _("You lose: you accepted the claim."),
        "drawn_agreed": _("The game is a draw: you both agreed."),
        "drawn_repeated": _("The game is a draw: the same position occurred three times."),
        "drawn_too_long": _("The game is a draw: there were too many moves."),
        "timeout": _("Time is up. The game counts as lost."),
        "advanced": _("The game was ended early. It counts as lost."),
        "scored": _("Your score: {score}"),
        "next_game": _("Next game"),
        "analyse": _("Review the game"),
        "see_results": _("See results"),
    }


def _opponent_sentences() -> Texts:
    """Returns the sentences about the opponent: ``robot_…`` for a computer, ``other_…`` for a person."""
    return {
        # Cards, for screen readers.
        "robot_cards": _("The computer’s cards: {cards}."),
        "other_cards": _("The other player’s cards: {cards}."),
        "robot_no_cards": _("The computer has no cards."),
        "other_no_cards": _("The other player has no cards."),
        "robot_hidden_cards": by_count(
            lambda count: ngettext(
                "The computer has {count} card, face down.",
                "The computer has {count} cards, face down.",
                count,
            )
        ),
        "other_hidden_cards": by_count(
            lambda count: ngettext(
                "The other player has {count} card, face down.",
                "The other player has {count} cards, face down.",
                count,
            )
        ),
        # Their current and last actions.
        "robot_thinking": _("The computer is thinking …"),
        "other_thinking": _("The other player is thinking …"),
        "robot_deadline": _("Time left for the computer: {time}"),
        "other_deadline": _("Time left for the other player: {time}"),
        "robot_played": _("The computer played {card}."),
        "other_played": _("The other player played {card}."),
        "robot_played_for": _("Time ran out for the computer: {card} was played."),
        "other_played_for": _("Time ran out for the other player: {card} was played."),
        "robot_picked": by_count(
            lambda count: ngettext(
                "The computer picked up {count} card.", "The computer picked up {count} cards.", count
            )
        ),
        "other_picked": by_count(
            lambda count: ngettext(
                "The other player picked up {count} card.", "The other player picked up {count} cards.", count
            )
        ),
        "robot_picked_all": _("The computer picked up all the cards."),
        "other_picked_all": _("The other player picked up all the cards."),
        "robot_picked_for": by_count(
            lambda count: ngettext(
                "Time ran out for the computer: it picked up {count} card.",
                "Time ran out for the computer: it picked up {count} cards.",
                count,
            )
        ),
        "other_picked_for": by_count(
            lambda count: ngettext(
                "Time ran out for the other player, who picked up {count} card.",
                "Time ran out for the other player, who picked up {count} cards.",
                count,
            )
        ),
        "robot_picked_for_all": _("Time ran out for the computer: it picked up all the cards."),
        "other_picked_for_all": _("Time ran out for the other player, who picked up all the cards."),
        # Draw offers and claims, and the answers.
        "robot_offer_to_you": _("The computer offers a draw. Do you accept?"),
        "other_offer_to_you": _("The other player offers a draw. Do you accept?"),
        "robot_claim_to_you": _("The computer claims a win. If you accept, you lose."),
        "other_claim_to_you": _("The other player claims a win. If you accept, you lose."),
        "robot_consult_to_you": _("The computer asks for advice."),
        "other_consult_to_you": _("The other player asks for advice."),
        "robot_offer_waiting": _("You have offered a draw. The computer is thinking …"),
        "other_offer_waiting": _("You have offered a draw. Waiting for the other player …"),
        "robot_claim_waiting": _("You have claimed a win. The computer is checking your claim …"),
        "other_claim_waiting": _("You have claimed a win. Waiting for the other player …"),
        "robot_accept_offer": _("The computer accepts the draw."),
        "robot_decline_offer": _("The computer declines the draw because it is ahead. Play on."),
        "robot_accept_claim": _("The computer accepts your claim: you win."),
        "robot_decline_claim": _("It is not proved that you will win. Play on."),
        "other_accept_offer": _("The other player accepts the draw."),
        "other_decline_offer": _("The other player declines the draw. Play on."),
        "other_accept_claim": _("The other player accepts your claim: you win."),
        "other_decline_claim": _("The other player rejects your claim. Play on."),
        # How a game ended, by outcome and ``view.ended``.
        "robot_won_resigned": _("You win: the computer resigned."),
        "other_won_resigned": _("You win: the other player resigned."),
        "robot_won_claimed": _("You win: the computer accepted your claim."),
        "other_won_claimed": _("You win: the other player accepted your claim."),
        "robot_lost_out": _("You lose: the computer played its last card."),
        "other_lost_out": _("You lose: the other player played their last card."),
    }


def _card_names() -> Texts:
    """Returns the names of cards (``10S``: "10 of spades") and suits (``S``: "spades")."""
    ranks = {"A": _("ace"), "K": _("king"), "Q": _("queen"), "J": _("jack")}
    suits = {"S": _("spades"), "H": _("hearts"), "C": _("clubs"), "D": _("diamonds")}
    cards = {
        rank + suit: _("{rank} of {suit}").format(rank=ranks.get(rank, rank), suit=suits[suit])
        for suit in SUITS
        for rank in RANKS
    }
    return {**cards, **suits}


def coach_texts(_options: dict[str, Any]) -> Texts:
    """Returns the texts of the tutorial next to the practice game (_static/challenge/tutorial.js)."""
    return {
        "ask_trumps": by_device(
            _("Be the first to play your last card: click any card to play it."),
            _("Be the first to play your last card: tap any card to play it."),
        ),
        "praise_trumps": _("The computer answered: it beat your card or picked it up."),
        "ask_lead": _("New cards: the table is empty, so you may play any card."),
        "praise_lead": _("The computer had to beat your card or pick it up."),
        "ask_beat": _("Cards with a green edge beat the top card: play one. If none, pick up."),
        "lead_first": _("The table is empty: first play any card."),
        "praise_beat": _("A higher card of the suit is better, and so are your trumps."),
        "ask_pick_up": _("Press “Pick up”; if the table is empty, play a card first."),
        "praise_pick_up": _("You have taken all the cards. You may always pick up instead."),
        "ask_end": _("Play this game to the end, or resign."),
        "praise_end": _("The game is over. Press “Start over” to play another."),
        "praise_end_won": _("You won this game!"),
        "ask_lesson_trumps": _("Trumps: beat the ace with your lowest trump."),
        "wrong_lesson_trumps": _("The lowest trump is enough: press “Start over” and try again."),
        "praise_lesson_trumps": _("The ace is beaten, and your highest trump stays in your hand."),
        "ask_lesson_pick_up": _("Picking up: keep your only trump, and pick up the ace."),
        "wrong_lesson_pick_up": _("Now your only trump is gone: press “Start over” and try again."),
        "praise_lesson_pick_up": _("You have one more ace, and still your trump."),
        "ask_lesson_tempo": _("Tempo: lead the king that the computer cannot beat."),
        "wrong_lesson_tempo": _("Only the king of spades keeps you ahead: press “Start over”."),
        "praise_lesson_tempo": _("The computer has to pick up, so you lead again."),
        "ask_lesson_forced_win": _("Forced win: always lead a card that the computer cannot beat."),
        "wrong_lesson_forced_win": _("Now the computer has an answer: press “Start over” and try again."),
        "praise_lesson_forced_win": _("You won: the computer had no answer to any card."),
        "all_over": _("This game is over: press “Start over” for new cards."),
        "wait": _("The computer is thinking …"),
    }


def keys_sentence(_options: dict[str, Any]) -> str:
    """Returns the description of the keys in the practice game."""
    return _(
        "Use the arrow keys to choose a card. Press Enter to play it. Press P to pick up. "
        "Press ? to see what you may play."
    )


def score_sentences(config: Config) -> list[str]:
    """Returns the sentences about the score of a game."""
    scored = _("A win scores {win}, a draw {draw} and a loss {loss}.")
    return [scored.format(**{name: plain(config[name]) for name in ("win", "draw", "loss")})]


def turn_sentence(seconds: int) -> str:
    """Returns the sentence about the time limit of a move."""
    limit = ngettext(
        "You have {count} second for each move. Then the computer plays for you.",
        "You have {count} seconds for each move. Then the computer plays for you.",
        seconds,
    )
    return limit.format(count=plain(seconds))


def length_sentence(moves: int) -> str:
    """Returns the sentence about the number of moves after which a game is drawn."""
    limit = ngettext("It is also a draw after {count} move.", "It is also a draw after {count} moves.", moves)
    return limit.format(count=moves)


def score_guide(config: Config) -> ScoreGuide:
    """Returns the worst and the best of the three outcomes, and the scores of a lost and a won game."""
    outcomes = config["win"], config["draw"], config["loss"]
    return ScoreGuide(min(outcomes), int(config["loss"]), int(config["win"]), max(outcomes))


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    outcomes = {"won": _("won"), "drawn": _("drawn"), "lost": _("lost")}
    return [
        (_("Result"), lambda result: outcomes.get(result.outcome, _("not finished"))),
        (_("Cards left"), lambda result: result.parts["cards_left"]),
    ]


def rules_vars(config: Config, hands: Callable[[], Sequence[Opening]]) -> dict[str, Any]:
    """Returns the variables of the rules: the options of the game, the packs, the commands and the claims.

    A deal file may have packs of several sizes. Where not all cards are seen these sizes would reveal some of
    the hidden ones, so there the size is that of the config.
    """
    as_config = config["deal_file"] == DRAWN_BY_SEED or config["show"] == "own"
    sizes = {config["size"]} if as_config else {hand.options["size"] for hand in hands()}
    return {
        **options_in_force(config),
        **{name: config[name] for name in ("games", "group_size", "analysing", "turn_limit_seconds")},
        "size": pack_sizes(sizes),
        "ranks": " ".join(RANKS[: max(sizes)]),
        "commands": typed_commands(config) if config["commands"] else [],
        "claims_text": claim_sentences(config),
        "length_text": length_sentence(config["max_actions"]),
        "turn_text": turn_sentence(config["turn_limit_seconds"]),
    }


def pack_sizes(sizes: set[int]) -> str:
    """Formats one or several pack sizes: ``8`` or ``3–6``."""
    return "–".join(map(str, sorted({min(sizes), max(sizes)})))


def claim_sentences(config: Config) -> list[str]:
    """Returns the sentences about when and how often a win may be claimed."""
    limit = config["claims_limit"]
    failing = ngettext(
        "After {limit} rejected claim you cannot claim again in that game.",
        "After {limit} rejected claims you cannot claim again in that game.",
        limit or 0,
    )
    return [
        _("On your turn, when the table is empty, you may claim a win."),
        _("Claim a win if you are sure to win, whatever the other player plays."),
        _("If the claim is accepted, you win. If not, play on."),
        *([failing.format(limit=limit)] if limit else []),
    ]


def typed_commands(config: Config) -> list[tuple[str, str]]:
    """Returns the commands that can be typed in a game, with descriptions."""
    return command_list({**config, "analysing": False, "robots": config["group_size"] == 1})


def too_few_sentence(config: Config) -> str:
    """Returns the sentence about a game with too few people."""
    if config["no_shows"] == "robot":
        return _("If nobody else is waiting, you play against the computer.")
    return _("If there are too few people for a game, you continue without playing it.")
