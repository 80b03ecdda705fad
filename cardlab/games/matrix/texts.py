"""What participants read, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.number_format import signed
from cardlab.games.text_forms import Texts, by_count


@cache
def board_texts() -> Texts:
    """Returns what the board's scripts say (_static/matrix); the words in braces are filled in there.

    Looked up once: the language is the server's, and gettext searches its files at every word.
    """
    return {**_of_players(), **_of_table(), **_of_play(), **_of_turns(), **_of_end()}


def _of_players() -> Texts:
    """``who`` is inside a sentence, ``name`` at the player's place, ``short`` under a cross."""
    return {
        "who_you": _("you"),
        "who_other": _("the other player"),
        "who_robot": _("the robot"),
        "who_left": _("the left player"),
        "who_far": _("the far player"),
        "who_right": _("the right player"),
        "who_left_robot": _("the left robot"),
        "who_far_robot": _("the far robot"),
        "who_right_robot": _("the right robot"),
        "name_you": _("You"),
        "name_other": _("Other player"),
        "name_robot": _("Robot"),
        "name_left": _("Left player"),
        "name_far": _("Far player"),
        "name_right": _("Right player"),
        "name_left_robot": _("Left robot"),
        "name_far_robot": _("Far robot"),
        "name_right_robot": _("Right robot"),
        "short_you": _("You"),
        "short_other": _("Other"),
        "short_robot": _("Robot"),
        "short_left": _("Left"),
        "short_far": _("Far"),
        "short_right": _("Right"),
        "short_left_robot": _("Left"),
        "short_far_robot": _("Far"),
        "short_right_robot": _("Right"),
        "tag_to_choose": _("to choose"),
        "tag_to_turn": _("may turn"),
        "tag_away": _("not here"),
        "tag_your_card": _("chosen"),
    }


def _of_table() -> Texts:
    return {
        "cell_far_left": _("far left"),
        "cell_far_right": _("far right"),
        "cell_near_left": _("near left"),
        "cell_near_right": _("near right"),
        "column_left": _("left column"),
        "column_right": _("right column"),
        "plus": _("plus {points}"),
        "minus": _("minus {points}"),
        "card": _("{points}, {column}"),
        "hand_card": _("Card {number}: {card}"),
        "hand_place": _("Place {number}: no card"),
        "drawn": _("You drew card {number}: {card}."),
        "worth": _("{cell}: {own} {own_points}, {across} {across_points}"),
        "turn_this": _("turn"),
        "turn_it": _("Turn it, then {worth}"),
        "turn_of": _("{turn} of {of}"),
        "cards": by_count(lambda count: ngettext("{count} collected", "{count} collected", count)),
    }


def _of_play() -> Texts:
    """Returns the line of status and the notes."""
    return {
        "choose": _("Choose a card."),
        "has_chosen": _("{who} has chosen."),
        "chosen": _("You have chosen."),
        "chosen_may_change": _("You have chosen; you may still choose another card."),
        "waiting": _("Waiting for {who} …"),
        "waiting_away": _("Waiting for {who}, who is not at the table."),
        "away": _("{who} is not at the table."),
        "you_may_turn": _("You collected the lower card: turn one cross, or keep all."),
        "other_may_turn": _("{who} collected the lower card and may turn a cross …"),
        "others_play": _("{first} and {second} play this turn."),
        "deadline_you": _("A card is chosen for you in {time}"),
        "deadline_you_turn": _("All crosses are kept in {time}"),
        "deadline": _("A card is chosen for {who} in {time}"),
        "deadline_both": _("Cards are chosen for them in {time}"),
        "deadline_turn": _("{time} left for {who}"),
        "hurry": _("{seconds} seconds left."),
        "first_turn": _("First turn one cross, or keep all."),
        "other_turns_first": _("{who} may turn a cross first. Please wait."),
        "choice_stands": _("You have chosen already, and the choice stands."),
        "chosen_already": _("You have chosen this card already."),
        "wrong_column": _("This card selects the {column}: it cannot be put into the other one."),
        "not_turned_now": _(
            "A cross can be turned only by the player who has just collected the lower card."
        ),
        "never_turned": _("With four players no cross is turned."),
        "how_to_choose": _("To choose a card, click or tap it in your hand, or drag it here."),
        "one_moment": _("One moment: your last choice is still on its way."),
    }


def _of_turns() -> Texts:
    """Returns what a turn has brought."""
    return {
        "turn": _("Turn {turn}"),
        "last_turn": _("Last turn ({turn})"),
        "row_played": _("played"),
        "row_collected": _("collected"),
        "in_cell": _("Cross: {cell}"),
        "collected": _("{cell}: {first}, {second}."),
        "you_collect": _("you collect {points}"),
        "collects": _("{who} collects {points}"),
        "you_played": _("you played {card}"),
        "played": _("{who} played {card}"),
        "chosen_for_you": _("A card was chosen for you."),
        "chosen_for": _("A card was chosen for {who}."),
        "chosen_for_both": _("Cards were chosen for both players."),
        "you_turned": _("You turned {cell}."),
        "turned": _("{who} turned {cell}."),
        "you_kept": _("You kept all crosses."),
        "kept": _("{who} kept all crosses."),
        "kept_for_you": _("All crosses were kept for you."),
        "kept_for": _("All crosses were kept for {who}."),
    }


def _of_end() -> Texts:
    return {
        "over": _("The game is over."),
        "completed": _("Game over · Your score: {score}"),
        "score_of": _("{who}: {score}"),
        "timeout": _("Time is over · Your score: {score}"),
        "advanced": _("The game was ended early · Your score: {score}"),
        "next_game": _("Next game"),
        "see_results": _("See results"),
    }


def coach_texts() -> Texts:
    """Returns what the tutorial says beside the game to try (_static/matrix/tutorial.js)."""
    return {
        "ask_choose": _("Choose any of your seven cards: click or tap it."),
        "praise_choose": _("The next steps tell how that comes about."),
        "ask_column": _("Choose a card, and watch which cross is selected: where the two columns meet."),
        "praise_column": _("Each of you selected a column, and the cross where they meet was selected."),
        "ask_collect": _("Choose a card, and watch what becomes of it."),
        "praise_collect": _(
            "The two cards just played are the new cross there. Yours stands upright: you may get it later."
        ),
        "ask_turn": _("Go on choosing cards until you have collected the lower card of the two."),
        "may_turn": _("You collected the lower card. Choose the cross that you want to turn, or keep all."),
        "praise_turn": _("Well done: that is how a cross is turned, or kept."),
        "no_luck": _("This time you did not collect the lower card. In the games you sometimes will."),
        "collected": _("You collected {own}, the other player {others}."),
        "wait": _("This turn is played by the others. Soon it is yours again."),
        "all_played": _("All cards are played. Press “Start over”."),
    }


def keys_sentence() -> str:
    """Returns what the keys do in the game to try."""
    return _("The keys 1 to 7 choose a card; 1 to 4 turn a cross and K keeps all, when you may.")


def score_sentences(_config: Config) -> list[str]:
    """Returns how a game earns its score, a sentence each."""
    return [_("Your score in a game is the sum of the cards that you have collected; it may be negative.")]


def example_score(_config: Config) -> int:
    """Returns a usual score."""
    return 12


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Cards collected"), lambda result: result.parts["cards"]),
        (_("Crosses turned"), lambda result: result.parts["rotations"]),
    ]


def earned_sentences(rows: Sequence[tuple[Any, ...]], drawn: int, points: str, money: str) -> list[str]:
    """Returns a sentence for each game of ``rows`` (number, result, …): its points and money.

    ``drawn`` is the number of the one game that is paid, or 0 if all are.
    """
    if drawn:
        sentence = _("Game {number} was drawn to be paid: it earned you {points} points, {money}.")
    elif len(rows) == 1:
        sentence = _("Your score was {score}: it earned you {points} points, {money}.")
    else:
        sentence = _("Your {games} games earned you {points} points, {money}.")
    score = signed(rows[0][1].score)
    return [sentence.format(number=drawn, score=score, games=len(rows), points=points, money=money)]


def pack_sentence(config: Config) -> str:
    """Returns what the cards are worth, in a sentence."""
    if config["pack"] == "special":
        return _("There is one card for each column and each value from −10 to +10, without 0.")
    if config["court"] == "ladder":
        return _("The cards are those of a French pack: an ace counts 1, jack 11, queen 12 and king 13.")
    return _("The cards are those of a French pack: an ace counts 1, and jack, queen and king count 10.")


def too_few_sentence(config: Config) -> str:
    """Returns what happens if there are too few people for a game."""
    if config["no_shows"] == "robot":
        return _("If there are too few people for a game, the computer plays in the empty seats.")
    return _("If there are too few people for a game, you continue without playing it.")


def fee_follows_sentence() -> str:
    """Returns that the fee is added on the next page."""
    return _("The next page adds what you receive for taking part.")
