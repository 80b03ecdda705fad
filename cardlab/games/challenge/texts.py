"""What participants read, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from gettext import gettext as _
from gettext import ngettext

from cardlab.games.challenge.commands import command_list
from cardlab.games.challenge.packs import RANKS, SUITS
from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.number_format import plain
from cardlab.games.text_forms import Texts, by_count


@cache
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/challenge), which fill in the braces.

    Cached, because gettext searches its files for each text and all participants share the server's language.
    """
    return {
        **_card_names(),
        # Players: ``who`` is inside a sentence, ``name`` beside the player's cards.
        "who_robot": _("the computer"),
        "who_other": _("the other player"),
        "name_you": _("You"),
        "name_robot": _("Computer"),
        "name_other": _("Other player"),
        "trumps": _("trumps: {suit}"),
        "cards": by_count(lambda count: ngettext("{count} card", "{count} cards", count)),
        "picked_up": _("pick-ups: {count}"),
        "tag_turn": _("to play"),
        "tag_away": _("not here"),
        # Hands and table, for screen readers.
        "far_cards": _("{who} has: {cards}."),
        "far_none": _("{who} has no cards."),
        "far_hidden": _("{who} has {count} cards, which you do not see."),
        "table_empty": _("The table is empty."),
        "table_one": _("On the table: {top}."),
        "table_top": _("On top of the table: {top}; {count} cards in all."),
        "table_cards": _("On top of the table: {top}; under it: {cards}."),
        "count_on_table": _("{count} on the table"),
        "fits": _("{card}, may be played"),
        # Whose turn it is, what to do, and what has just happened.
        "lead": _("Your turn. The table is empty: play any card."),
        "lead_on": _("You have beaten the card. Now play any card on top of it."),
        "beat": _("Your turn. Beat the {card}, or pick up the table ({count})."),
        "only_pick_up": _("Your turn. You have no card that beats the {card}: pick up the table ({count})."),
        "thinking": _("{who} is thinking …"),
        "waiting": _("Waiting for {who} …"),
        "waiting_away": _("Waiting for {who}, who is not at the table."),
        "away": _("{who} is not at the table."),
        "over": _("The game is over."),
        "deadline_you": _("The computer plays for you in {time}"),
        "deadline": _("{time} left for {who}"),
        "hurry": _("{seconds} seconds left."),
        "you_played": _("You played {card}."),
        "played": _("{who} played {card}."),
        "played_for_you": _("Your time was over: {card} was played for you."),
        "played_for": _("For {who}, {card} was played."),
        "you_picked": _("You picked up the table ({count})."),
        "you_picked_all": _("You picked up the table."),
        "picked": _("{who} picked up the table ({count})."),
        "picked_all": _("{who} picked up the table."),
        "picked_for_you": _("Your time was over: the table ({count}) was picked up for you."),
        "picked_for_you_all": _("Your time was over: the table was picked up for you."),
        "picked_for": _("For {who} the table ({count}) was picked up."),
        "picked_for_all": _("For {who} the table was picked up."),
        "twice": _("The cards have been like this once before. At the third time the game is drawn."),
        "left": _("Moves left before the game is drawn: {count}."),
        "one_moment": _("One moment please: your last move is still being sent."),
        "drop_where": _("Drop the card on the table."),
        "how_to_play": _("To play a card, click or tap it in your hand, or drag it here."),
        "not_your_turn": _("Please wait: it is not your turn."),
        "first_lead": _("You have beaten the card: now play another one."),
        "nothing_to_pick_up": _("There is nothing to pick up: the table is empty."),
        # Draw offers and claims, and the answers. ``{Who}`` begins a sentence within another.
        "offer_to_you": _("{who} offers a draw. Do you accept?"),
        "claim_to_you": _("{who} claims to win whatever you play. If you accept, you have lost."),
        "offer_waiting": _("You have offered a draw. Waiting for {who} …"),
        "claim_waiting": _("You have claimed a forced win. Waiting for {who} …"),
        "offer_thinking": _("You have offered a draw. {Who} is thinking …"),
        "claim_thinking": _("You have claimed a forced win. {Who} looks for a way out …"),
        "consult_to_you": _("{who} asks for advice."),
        "robot_accept_offer": _("{who} accepts the draw."),
        "robot_decline_offer": _("{who} declines the draw: it sees better chances for itself. Play on."),
        "robot_accept_claim": _("{who} agrees: you win whatever it plays."),
        "robot_decline_claim": _("Not proved: {who} does not see that you must win. Play on."),
        "other_accept_offer": _("{who} accepts the draw."),
        "other_decline_offer": _("{who} declines the draw. Play on."),
        "other_accept_claim": _("{who} agrees that you win."),
        "other_decline_claim": _("{who} does not agree that you must win. Play on."),
        "you_accept_offer": _("You have accepted the draw."),
        "you_decline_offer": _("You have declined the draw."),
        "you_accept_claim": _("You have agreed that you lose."),
        "you_decline_claim": _("You have not agreed. The game goes on."),
        "claims_left": _("Claims left in this game: {count}."),
        "no_claims_left": _("You have no claims left in this game."),
        "first_answer": _("First the question must be answered."),
        "asked_already": _("You have asked that already: now it is your move."),
        "only_empty_table": _("This can be said only when the table is empty and it is your turn."),
        "not_now": _("That is not possible now."),
        # The computer's advice, and the analysis of a game.
        "advice": _("The computer would play {card}: {value}."),
        "advice_pick_up": _("The computer would pick up: {value}."),
        "line": _("Then perhaps: {moves}."),
        "a_pick_up": _("pick up"),
        "worth_won": _("a forced win for you"),
        "worth_lost": _("you lose if the other plays well"),
        "worth_even": _("both stand equally well"),
        "worth_good": _("you stand better (value {points})"),
        "worth_bad": _("you stand worse (value {points})"),
        "went_back": _("Back at your turn before."),
        "passed": _("You passed: the other one leads."),
        "set_up": _(
            "All cards are in your hand. Play cards that must be picked up, until it is as you wish."
        ),
        "no_turn_before": _("There is no earlier turn of yours to go back to."),
        "game_ended": _("This game has ended: go back, or set up a position."),
        "analysed_to_end": _("This game has ended: {how} Go back, or set up a position."),
        # Answers to typed commands.
        "may": _("You may play: {cards}."),
        "may_or_pick_up": _("You may play: {cards}; or pick up."),
        "may_pick_up": _("You can only pick up."),
        "may_nothing": _("You cannot play anything now."),
        "marks_on": _("The cards that you may play are marked."),
        "marks_off": _("The cards that you may play are no longer marked."),
        "log_on": _("This game goes into the log."),
        "log_off": _("This game does not go into the log."),
        "no_rules": _("The instructions are not at hand here."),
        "only_in_analysis": _("That is for analysing a game."),
        "next_when_over": _("The next game begins when this one is over."),
        # How a game ended, and why; the reasons are named by outcome and ``view.ended``.
        "won": _("You have won: {how}"),
        "lost": _("You have lost: {how}"),
        "drawn": _("The game is drawn: {how}"),
        "won_out": _("you played your last card."),
        "won_resigned": _("{who} resigned."),
        "won_claimed": _("{who} agreed that you must win."),
        "lost_out": _("{who} played the last card."),
        "lost_resigned": _("you resigned."),
        "lost_claimed": _("you agreed that you must lose."),
        "drawn_agreed": _("you agreed on it."),
        "drawn_repeated": _("the cards have been the same for the third time."),
        "drawn_too_long": _("it took too many moves."),
        "timeout": _("Time is over. The game counts as lost."),
        "advanced": _("The game was ended early. It counts as lost."),
        "scored": _("Your score: {score}"),
        "next_game": _("Next game"),
        "analyse": _("Go through this game"),
        "see_results": _("See results"),
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


def coach_texts() -> Texts:
    """Returns what the tutorial says beside the game to try (_static/challenge/tutorial.js)."""
    return {
        "ask_trumps": _("Try it: play any card. Click or tap it, or drag it to the table."),
        "praise_trumps": _("The computer has answered at once: it beat your card, or picked it up."),
        "ask_lead": _("These are new cards. The table is empty: lead a card."),
        "praise_lead": _("Now the computer had to beat your card or pick it up."),
        "ask_beat": _(
            "Beat a card of the computer: the cards that do it are lifted. If it has led none, lead one; if "
            "none is lifted, pick up."
        ),
        "praise_beat": _("Your card was better. Now the computer has to beat it or pick up."),
        "ask_pick_up": _("Pick up the table once, with the button. If it is empty, lead a card first."),
        "praise_pick_up": _("All cards of the table are in your hand now."),
        "ask_end": _("Play this game to its end. If it takes too long, resign, or press “Start over”."),
        "praise_end": _("The game is over. Press “Start over” to play another."),
        "praise_end_won": _("You have won this game!"),
        "all_over": _("This game is over. Press “Start over” for new cards."),
        "wait": _("The computer is to move: it will go on at once."),
    }


def keys_sentence() -> str:
    """Returns what the keys do in the game to try."""
    return _(
        "The arrow keys go to the cards, Enter plays the card, P picks up the table. The question mark tells "
        "what may be played."
    )


def score_sentences(config: Config) -> list[str]:
    """Returns how a game earns its score, a sentence each."""
    scored = _("A game that you win scores {win}, a drawn one {draw}, and one that you lose {loss}.")
    return [scored.format(**{name: plain(config[name]) for name in ("win", "draw", "loss")})]


def example_score(config: Config) -> int:
    """Returns a usual score: that of a won game."""
    return int(config["win"])


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    outcomes = {"won": _("won"), "drawn": _("drawn"), "lost": _("lost")}
    return [
        (_("Result"), lambda result: outcomes.get(result.outcome, _("not finished"))),
        (_("Cards left"), lambda result: result.parts["cards_left"]),
    ]


def pack_sizes(sizes: set[int]) -> str:
    """Formats sizes of packs: ``8``, or of several ``3–6``."""
    return "–".join(map(str, sorted({min(sizes), max(sizes)})))


def claim_sentences(config: Config) -> list[str]:
    """Returns when a forced win may be claimed, and how often in a game, a sentence each."""
    limit = config["claims_limit"]
    failing = _("You can make no more claims in a game once {limit} of them have failed.")
    return [
        _("When it is your turn and the table is empty, you may claim a forced win."),
        _("A forced win means that you win whatever the other player plays."),
        _("If the claim is accepted, you have won. If not, the game goes on."),
        *([failing.format(limit=limit)] if limit else []),
    ]


def typed_commands(config: Config) -> list[tuple[str, str]]:
    """Returns what can be typed in a game, and what it does."""
    return command_list({**config, "analysing": False, "robots": config["group_size"] == 1})


def too_few_sentence(config: Config) -> str:
    """Returns what happens if there are too few people for a game."""
    if config["no_shows"] == "robot":
        return _("If nobody else waits, you play against the computer.")
    return _("If there are too few people for a game, you continue without playing it.")
