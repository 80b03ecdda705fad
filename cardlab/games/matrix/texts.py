"""Returns the texts that participants read on the board, in replays and on the other pages."""

from collections.abc import Callable, Sequence
from gettext import gettext as _
from gettext import ngettext
from math import inf
from typing import Any

from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.language import cached_by_language
from cardlab.games.number_format import plain, signed
from cardlab.games.text_forms import Texts, by_device


@cached_by_language
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/matrix), which fill in the braces.

    Cached for each language, because gettext searches its files for each text.
    """
    return {**_players_texts(), **_table_texts(), **_play_texts(), **_turns_texts(), **_end_texts()}


def _players_texts() -> Texts:
    """Returns the names of the players: ``name`` at their seat, ``short`` under a cross."""
    return {
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
        "tag_thinking": _("thinking"),
        "tag_away": _("elsewhere"),
        "tag_your_card": _("chosen"),
    }


def _table_texts() -> Texts:
    return {
        "cell_far_left": _("Far left"),
        "cell_far_right": _("Far right"),
        "cell_near_left": _("Near left"),
        "cell_near_right": _("Near right"),
        "column_left": _("left column"),
        "column_right": _("right column"),
        "plus": _("plus {points}"),
        "minus": _("minus {points}"),
        "card": _("{points}, {column}"),
        "hand_card": _("Card {number}: {card}"),
        "hand_place": _("Place {number}: no card"),
        "drawn": _("You drew card {number}: {card}."),
        "worth": _("{cell}. {own}: {own_points}. {across}: {across_points}"),
        "turn_this": _("turn"),
        "turn_it": _("If turned: {worth}"),
        "turn_of": _("{turn} of {of}"),
        "to_left": _("left"),
        "to_right": _("right"),
        "their_row": _("their row"),
        "their_column": _("their column"),
        "collected_cards": _("collected: {count}"),
        "collected_none": _("collected: none"),
    }


def _play_texts() -> Texts:
    """Returns the line of status and the notes.

    A sentence about another player has one form for each: ``other`` and ``robot`` where two play, and where
    four play the side of the table.
    """
    return {
        "choose": _("Your turn: choose a card."),
        "has_chosen_other": _("The other player has chosen."),
        "has_chosen_robot": _("The robot has chosen."),
        "has_chosen_left": _("The left player has chosen."),
        "has_chosen_far": _("The far player has chosen."),
        "has_chosen_right": _("The right player has chosen."),
        "has_chosen_left_robot": _("The left robot has chosen."),
        "has_chosen_far_robot": _("The far robot has chosen."),
        "has_chosen_right_robot": _("The right robot has chosen."),
        "chosen": _("You have chosen."),
        "chosen_may_change": _("You have chosen. You may still choose another card."),
        "waiting_other": _("Waiting for the other player …"),
        "waiting_robot": _("Waiting for the robot …"),
        "waiting_left": _("Waiting for the left player …"),
        "waiting_far": _("Waiting for the far player …"),
        "waiting_right": _("Waiting for the right player …"),
        "waiting_left_robot": _("Waiting for the left robot …"),
        "waiting_far_robot": _("Waiting for the far robot …"),
        "waiting_right_robot": _("Waiting for the right robot …"),
        "away_other": _("The other player is not on this page right now."),
        "away_left": _("The left player is not on this page right now."),
        "away_far": _("The far player is not on this page right now."),
        "away_right": _("The right player is not on this page right now."),
        "you_may_turn": _("You collected the lower card: turn one cross, or keep all."),
        "may_turn_other": _("The other player collected the lower card and may turn a cross …"),
        "may_turn_robot": _("The robot collected the lower card and may turn a cross …"),
        "others_play": _("Now playing: {first}, {second}"),
        "deadline_you": _("A card is chosen for you in {time}"),
        "deadline_turn": _("Time left to turn a cross: {time}"),
        "deadline_other": _("A card is chosen for the other player in {time}"),
        "deadline_left": _("A card is chosen for the left player in {time}"),
        "deadline_far": _("A card is chosen for the far player in {time}"),
        "deadline_right": _("A card is chosen for the right player in {time}"),
        "deadline_both": _("Cards are chosen for both players in {time}"),
        "hurry": _("{seconds} seconds left."),
        "first_turn": _("First turn one cross, or keep all."),
        "turns_first_other": _("The other player may turn a cross first. Please wait."),
        "turns_first_robot": _("The robot may turn a cross first. Please wait."),
        "choice_stands": _("You have already chosen. You cannot change your choice."),
        "chosen_already": _("You have already chosen this card."),
        "wrong_column_left": _("This card selects the left column. Put it there."),
        "wrong_column_right": _("This card selects the right column. Put it there."),
        "not_turned_now": _("Only the player who has just collected the lower card can turn a cross."),
        "never_turned": _("With four players no cross is turned."),
        "how_to_choose": by_device(
            _("Click one of your cards to choose it, or drag it here."),
            _("Tap one of your cards to choose it, or drag it here."),
        ),
    }


def _turns_texts() -> Texts:
    """Returns the texts about the result of a turn."""
    return {
        "turn": _("Turn {turn}"),
        "last_turn": _("Last turn ({turn})"),
        "row_played": _("played"),
        "row_collected": _("collected"),
        "in_cell": _("Cross: {cell}"),
        "collected": _("{cell} · {first} · {second}"),
        "played": _("Turn {turn} played. {first}. {second}."),
        "of_player": _("{name}: {value}"),
        "chosen_for_you": _("A card was chosen for you."),
        "chosen_for_other": _("A card was chosen for the other player."),
        "chosen_for_left": _("A card was chosen for the left player."),
        "chosen_for_far": _("A card was chosen for the far player."),
        "chosen_for_right": _("A card was chosen for the right player."),
        "chosen_for_both": _("Cards were chosen for both players."),
        "you_turned": _("You turned this cross: {cell}."),
        "turned_other": _("The other player turned this cross: {cell}."),
        "turned_robot": _("The robot turned this cross: {cell}."),
        "you_kept": _("You kept all crosses."),
        "kept_other": _("The other player kept all crosses."),
        "kept_robot": _("The robot kept all crosses."),
        "kept_for_you": _("Time ran out: you kept all crosses."),
        "kept_for_other": _("Time ran out: the other player kept all crosses."),
    }


def _end_texts() -> Texts:
    return {
        "over": _("The game is over."),
        "completed": _("Game over · Your score: {score}"),
        "score_of": _("{name}: {score}"),
        "timeout": _("Time is up · Your score: {score}"),
        "advanced": _("The game was ended early · Your score: {score}"),
        "next_game": _("Next game"),
        "see_results": _("See results"),
    }


def coach_texts(_options: dict[str, Any]) -> Texts:
    """Returns the texts of the tutorial next to the practice game (_static/matrix/tutorial.js)."""
    return {
        "ask_choose": by_device(
            _("Collect black cards, avoid red ones: click any of your seven cards."),
            _("Collect black cards, avoid red ones: tap any of your seven cards."),
        ),
        "praise_choose": _("The next steps explain this result."),
        "ask_column": _("Choose a card, and watch which cross the two cards select."),
        "praise_column": _("Each card selected a column: the cross is where the two meet."),
        "ask_collect": _("Choose a card, and watch where it goes."),
        "praise_collect": _("The cards just played are the new cross; the upright one is for you."),
        "ask_turn": _("Choose cards until you collect the lower of two cards."),
        "may_turn": _("You collected the lower card: choose a cross to turn, or keep all."),
        "praise_turn": _("The two cards of a turned cross change owners."),
        "no_luck": _("You did not collect the lower card this time; in the games you sometimes will."),
        "you_collected": _("You collected {own}, the robot {others}."),
        "wait": _("The others play this turn. Your next turn comes soon."),
        "all_played": _("All cards are played: press “Start over”."),
    }


def keys_sentence(options: dict[str, Any]) -> str:
    """Returns the description of the keys in the practice game; only two players turn crosses."""
    sentence = _("Keys: 1 to 7 choose a card.")
    if options["players"] == 2:
        return " ".join((sentence, _("When you may turn a cross, 1 to 4 turn it and K keeps all.")))
    return sentence


def score_sentences(_config: Config) -> list[str]:
    """Returns the sentences about the score of a game."""
    return [_("Your score in a game is the sum of the cards you collected. It may be negative.")]


def score_guide(_config: Config) -> ScoreGuide:
    """Returns the scores of a game; its bounds depend on the deal."""
    return ScoreGuide(-inf, -30, 12, inf)


def rules_vars(config: Config, _hands: object) -> dict[str, Any]:
    """Returns the variables of the rules: the number of robots, the points of cards, and settings."""
    robots = config["players"] - config["group_size"]
    return {
        **{name: config[name] for name in ("players", "change_choice", "games", "turn_limit_seconds")},
        "robots": robots,
        "robots_text": robots_sentence(robots),
        "turn_limit_text": turn_limit_sentence(config["turn_limit_seconds"]),
        "courts": pack_sentence(config),
    }


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
        sentence = _("Game {number} was drawn for payment. You earned {points} points: {money}.")
    elif len(rows) == 1:
        sentence = _("Your score was {score}. You earned {points} points: {money}.")
    else:
        sentence = ngettext(
            "In {count} game you earned {points} points: {money}.",
            "In {count} games you earned {points} points: {money}.",
            len(rows),
        )
    score = signed(rows[0][1].score)
    return [sentence.format(number=drawn, score=score, count=len(rows), points=points, money=money)]


def pack_sentence(config: Config) -> str:
    """Returns the sentence about the points of cards."""
    if config["pack"] == "special":
        return _("There is one card for each column and value from −10 to +10, without 0.")
    if config["court"] == "ladder":
        return _("These are standard playing cards. An ace counts 1, a jack 11, a queen 12, a king 13.")
    return _("These are standard playing cards. An ace counts 1. Jack, queen and king count 10.")


def too_few_sentence(config: Config) -> str:
    """Returns the sentence about a game with too few people."""
    if config["no_shows"] == "robot":
        return _("If there are too few people for a game, robots play the empty seats.")
    return _("If there are too few people for a game, you continue without playing it.")


def fee_follows_sentence() -> str:
    """Returns the sentence about the fee on the next page."""
    return _("The next page adds what you receive for taking part.")


def robots_sentence(robots: int) -> str:
    """Returns the sentence about the number of robots, "" if there are none."""
    if not robots:
        return ""
    form = ngettext(
        "A robot plays {count} seat. It sees only what you would see there.",
        "Robots play {count} seats. They see only what you would see there.",
        robots,
    )
    return form.format(count=robots)


def turn_limit_sentence(seconds: float) -> str:
    """Returns the sentence about the time limit of a choice."""
    limit = _("You have {seconds} seconds to choose a card. Then one is chosen at random.")
    return limit.format(seconds=plain(seconds))
