"""Returns the texts that participants read on the board, in replays and on the other pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from gettext import gettext as _
from gettext import ngettext
from typing import Any

from cardlab.games.cards import pretty
from cardlab.games.contract import Result, ScoreGuide
from cardlab.games.dealing import Config
from cardlab.games.language import cached_by_language
from cardlab.games.number_format import plain
from cardlab.games.record import Opening
from cardlab.games.text_forms import Texts, by_count, by_device
from cardlab.games.ttt import board


@cached_by_language
def board_texts() -> Texts:
    """Returns the texts for the board's scripts (_static/ttt), which fill in the braces.

    Cached for each language, because gettext searches its files for each text.
    """
    return {
        "place_Ck": _("Colour keeper"),
        "place_T": _("Target"),
        "place_Nk": _("Number keeper"),
        "place_C": _("Left"),
        "place_UP": _("Face-up"),
        "place_N": _("Right"),
        "goal": _("Goal"),
        "face_down": _("face down"),
        "card": _("{rank} of {suit}"),
        "suit_H": _("hearts"),
        "suit_C": _("clubs"),
        "place_and_card": _("{place}: {card}"),
        "place_your_turn": _("{place}, your turn: {card}"),
        "now_there": _("{place}: {card}."),
        "turn_ck": _("It is the colour keeper’s turn. Moves left: {left}."),
        "turn_nk": _("It is the number keeper’s turn. Moves left: {left}."),
        "played": _("Exchanged: {place}."),
        "passed": _("Passed."),
        "keepers_never": _("The two keepers never exchange with each other."),
        "other_keeper_ck": _("It is the colour keeper’s turn. Only this keeper can exchange its card now."),
        "other_keeper_nk": _("It is the number keeper’s turn. Only this keeper can exchange its card now."),
        "needs_keeper_ck": _("Only the colour keeper can exchange now. Drop the card on the colour keeper."),
        "needs_keeper_nk": _("Only the number keeper can exchange now. Drop the card on the number keeper."),
        "drag_onto_keeper": _(
            "The keeper’s card cannot be dragged here. Choose the card that it should get."
        ),
        "how_to_keeper": by_device(
            _("Click the card that should come here: Left, Face-up, Right or Target."),
            _("Tap the card that should come here: Left, Face-up, Right or Target."),
        ),
        "again": by_device(_("Click again"), _("Tap again")),
        "again_exchanges": by_device(
            _("Click this card again to exchange it. Press Escape to cancel."),
            _("Tap this card again to exchange it. Tap elsewhere to cancel."),
        ),
        "no_look": _("You can look only at the card of the keeper whose turn it is."),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
        "solved": by_count(
            lambda count: ngettext(
                "Solved in 1 move · Score {score}", "Solved in {count} moves · Score {score}", count
            )
        ),
        "solved_timed": _("Solved in {seconds} seconds · Score {score}"),
        "failed": by_count(
            lambda count: ngettext(
                "Not solved in 1 move · Score {score}", "Not solved in {count} moves · Score {score}", count
            )
        ),
        "timeout": _("Time is up: not solved · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        "tag_yours": _("your turn"),
        **_pair_texts(),
    }


def _pair_texts() -> Texts:
    """Returns the texts for two players. ``…_partner`` and ``…_robot`` are about the co-player."""
    return {
        "name_you": _("You"),
        "name_partner": _("Partner"),
        "name_robot": _("Robot"),
        "tag_thinking": _("thinking"),
        "place_thinking": _("{place}, thinking: {card}"),
        "place_yours": _("{place}, yours: {card}"),
        "your_turn": _("Your turn: exchange or pass."),
        "thinking_partner": _("Your partner is thinking …"),
        "thinking_robot": _("The robot is thinking …"),
        "waiting": _("Waiting for your partner …"),
        "away": _("Your partner is not on this page right now."),
        "over": _("The hand is over."),
        "exchanged_partner": _("Your partner’s exchange: {place}."),
        "exchanged_robot": _("The robot’s exchange: {place}."),
        "has_passed_partner": _("Your partner passed."),
        "has_passed_robot": _("The robot passed."),
        "passed_for_you": _("Time ran out: you passed automatically."),
        "passed_for": _("Time ran out: your partner passed automatically."),
        "deadline_you": _("You pass automatically in {time}"),
        "deadline": _("Your partner passes automatically in {time}"),
        "hurry": _("{seconds} seconds left."),
        "wait_for_partner": _("Please wait for your partner’s move."),
        "wait_for_robot": _("Please wait for the robot’s move."),
        "no_look_at_other": _("You cannot look at this card. It belongs to the other keeper."),
        "not_your_keeper_ck": _("This is not your keeper. You play the colour keeper."),
        "not_your_keeper_nk": _("This is not your keeper. You play the number keeper."),
    }


def you_play_sentence(seat: str) -> str:
    """Returns the sentence about the keeper that the participant plays."""
    return _("You play the colour keeper.") if seat == "ck" else _("You play the number keeper.")


def coach_texts(options: dict[str, Any]) -> Texts:
    """Returns the texts of the tutorial next to the practice board (_static/ttt/tutorial.js)."""
    if is_for_two(options):
        (robot_seat,) = options["robots"]
        return _pair_coach_texts(board.other(robot_seat))
    return {
        "ask_exchange": _("Bring the goal card, 2♥, into Target: first choose the card at Left."),
        "praise_exchange": _("The goal card was there. Now it is the number keeper’s turn."),
        "ask_look_ck": by_device(
            _("It is the colour keeper’s turn: click its card to look at it."),
            _("It is the colour keeper’s turn: tap its card to look at it."),
        ),
        "ask_look_nk": by_device(
            _("It is the number keeper’s turn: click its card to look at it."),
            _("It is the number keeper’s turn: tap its card to look at it."),
        ),
        "praise_look": _("The card turns face down again after the next move."),
        "ask_number": _("4♥ and 4♣ have the same number: choose the card in Target."),
        "praise_number": _("The number keeper exchanges with Target only if the numbers are equal."),
        "ask_colour": _("2♥ and 4♥ have the same colour: choose the card in Target."),
        "praise_colour": _("Solved! The colour keeper exchanges with Target only if the colours are equal."),
        "ask_refused": _refused_colour(),
        "praise_refused": _("Refused: the colours differ, so no card moves and no move is counted."),
        "behind": _("First choose this card: {place}."),
        "astray": _("You made a different move: press “Start over” and do what is asked."),
        "used_up": _("You have used all moves: press “Start over”."),
    }


def _refused_colour() -> str:
    return _("New hand: 3♥ is red, 4♣ is black; choose the card in Target anyway.")


def _pair_coach_texts(seat: str) -> Texts:
    """Returns the texts of the tutorial for two players (_static/ttt/tutorial_two_players.js)."""
    if seat == "ck":
        ask = _("As colour keeper, bring 2♥ into Target: first choose the card at Left.")
        got = _("You have the goal card. Your partner, the number keeper, is a robot.")
        refused_sentence = _refused_colour()
        reason = _("Refused: with Target you need equal colours, and your partner equal numbers.")
    else:
        ask = _("As number keeper, bring 2♥ into Target: first choose the card at Right.")
        got = _("You have the goal card. Your partner, the colour keeper, is a robot.")
        refused_sentence = _("New hand: 3♥ is a 3, 4♣ is a 4; choose the card in Target anyway.")
        reason = _("Refused: with Target you need equal numbers, and your partner equal colours.")
    return {
        "ask_exchange": ask,
        "praise_exchange": got,
        "ask_partner": _("Make another move, then watch what the robot does."),
        "praise_partner": _("The frames show which two cards the robot exchanged."),
        "praise_passed": _("The robot passed. No card has moved, and it is your turn."),
        "praise_solved": _("Solved: together you brought the goal card into Target."),
        "ask_look": by_device(
            _("Your card lies face down: click it to look at it."),
            _("Your card lies face down: tap it to look at it."),
        ),
        "praise_look": _("Your card turns face down after your move. The robot does not see it."),
        "ask_refused": refused_sentence,
        "praise_refused": reason,
        "astray": _("You made a different move: press “Start over” and do what is asked."),
        "used_up": _("This hand is over: press “Start over”."),
    }


def keys_sentence(options: dict[str, Any]) -> str:
    """Returns the description of the keys on the practice board; V is for keepers that lie face down."""
    sentence = _("Keys: C exchanges with Left, U with Face-up, N with Right, T with Target. P passes.")
    if options["ViewCkNk"]:
        return sentence
    if is_for_two(options):
        return " ".join((sentence, _("V looks at the card of your keeper.")))
    return " ".join((sentence, _("V looks at the card of the keeper whose turn it is.")))


def is_for_two(options: Mapping[str, Any]) -> bool:
    """Returns whether two participants play a hand with these options."""
    return options.get("players") == 2


def rules_vars(config: Config, hands: Callable[[], Sequence[Opening]]) -> dict[str, Any]:
    """Returns the variables of the rules."""
    dealt = {board.parse_deal(hand.deal)[1:] for hand in hands()}
    goals = {goal for goal, _first in dealt}
    last_hand = hands()[-1]
    options, moves = last_hand.options, last_hand.options["MaxRounds"]
    pair_vars = _pair_rules_vars(config, options) if is_for_two(options) else {}
    return {
        "options": {key: options[key] for key in ("ViewCkNk", "ViewCard", "ViewTarget", "MaxRounds")},
        "timed": options["pay_by"] == "time",
        "goal_text": _("The goal card is {card}.").format(card=pretty(*goals)) if len(goals) == 1 else "",
        "most_moves_text": pair_most_moves_sentence(moves) if pair_vars else most_moves_sentence(moves),
        "changes": len(dealt) > 1,
        "hands": last_hand.of,
        "practice_hands": config["practice_hands"],
        "click_twice": clicks_twice(config, options),
        **pair_vars,
    }


def clicks_twice(config: Config, options: Mapping[str, Any]) -> bool:
    """Returns whether an exchange by click needs a second click: if a click can be a look (ruling 5)."""
    default = "once" if options["ViewCkNk"] else "twice"
    return (config.get("click_exchanges") or default) == "twice"


def most_moves_sentence(moves: int) -> str:
    """Returns the sentence about the maximum number of moves."""
    text = ngettext(
        "You have at most {count} move per hand (a pass is a move).",
        "You have at most {count} moves per hand (a pass is a move).",
        moves,
    )
    return text.format(count=moves)


def pair_most_moves_sentence(moves: int) -> str:
    """Returns the sentence about the maximum number of moves of two players together."""
    text = ngettext(
        "Together you have at most {count} move per hand (a pass is a move).",
        "Together you have at most {count} moves per hand (a pass is a move).",
        moves,
    )
    return text.format(count=moves)


def turn_limit_sentence(seconds: float) -> str:
    """Returns the sentence about the turn limit for two players."""
    limit = _("You have {seconds} seconds for each turn. Then you pass automatically.")
    return limit.format(seconds=plain(seconds))


def news(opening: Opening, last_opening: Opening) -> str:
    """Returns the visible differences of a hand from the previous one; "" if there are none."""
    (_layout, goal, first), (_before, old_goal, old_first) = map(
        board.parse_deal, (opening.deal, last_opening.deal)
    )
    sentences = []
    if goal != old_goal and opening.options["ViewTarget"]:
        sentences.append(_("There is a new goal card: {goal}.").format(goal=pretty(goal)))
    if first != old_first:
        colour, number = (
            _("In this hand the colour keeper begins."),
            _("In this hand the number keeper begins."),
        )
        sentences.append(colour if first == "ck" else number)
    return " ".join(sentences)


def score_sentences(config: Config) -> list[str]:
    """Returns the sentences about the score of a hand. ``config`` has the options of the hands."""
    if config["pay_by"] == "time":
        scored = _(
            "Solving a hand scores up to 1000 points. The faster you solve it, the more you score. After "
            "{seconds} seconds you score 0."
        ).format(seconds=plain(config["time_scale_seconds"]))
    else:
        scored = _("Solving a hand scores 1000 points minus {points} per move (a pass is a move).")
        scored = scored.format(points=plain(1000 / config["MaxRounds"]))
    return [scored, _("A hand that is not solved scores 0.")]


def score_guide(config: Config) -> ScoreGuide:
    """Returns 0, the score of an unsolved hand, and the score of five moves or of a quarter of the time."""
    if config["pay_by"] == "time":
        return ScoreGuide(0, 0, 750, 1000)
    points_per_move = 1000 / config["MaxRounds"]
    return ScoreGuide(0, 0, max(0, round(1000 - 5 * points_per_move)), round(1000 - points_per_move))


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Moves"), lambda result: result.parts["moves"]),
        (_("Solved"), lambda result: _("yes") if result.outcome == "solved" else _("no")),
    ]


def _pair_rules_vars(config: Config, options: dict[str, Any]) -> dict[str, Any]:
    """Returns the additional variables of the rules for two players."""
    return {
        "partner": partner_sentence(config),
        "roles": roles_sentence(config),
        "sees": sight_sentence(options),
        "turn_limit_seconds": config["turn_limit_seconds"],
        "turn_limit_text": turn_limit_sentence(config["turn_limit_seconds"]),
    }


def partner_sentence(config: Config) -> str:
    """Returns the sentence about the partner."""
    if config["group_size"] == 1:
        return _("Your partner is a robot. It sees only what you would see in its place.")
    if config["partners"] == "kept" or not config["blocks"]:
        return _("Your partner is another participant. It is the same person in all hands.")
    return _("Your partner is another participant. You will be told when you get a new partner.")


def roles_sentence(config: Config) -> str:
    """Returns the sentence about the participant's keeper, or that it will be announced."""
    if config["group_size"] == 1:
        sentence = you_play_sentence(board.other(config["robot_seat"]))
    else:
        sentence = _(
            "One of you plays the colour keeper, the other the number keeper. You will be told which one is "
            "yours."
        )
    return sentence if config["roles"] == "kept" else f"{sentence} {_('Later you swap keepers.')}"


def sight_sentence(options: dict[str, Any]) -> str:
    """Returns the sentence about visible keepers' cards (ViewCard)."""
    if options["ViewCard"] == "all":
        return _("You and your partner both see both keepers’ cards.")
    if options["ViewCard"] == "mix":
        return _("At first you see only your own keeper’s card. After the first exchange you see both.")
    return _("You see only your own keeper’s card. Your partner sees only theirs.")


def change_sentence(seat: str, seat_before: str, new_partner: bool) -> str:
    """Returns the sentence about a new partner or keeper in this hand; "" if neither is new."""
    sentences = [_("You have a new partner now.")] if new_partner else []
    if seat != seat_before:
        sentences.append(you_play_sentence(seat))
    return " ".join(sentences)


def next_hand_sentence(seat: str, next_seat: str, new_partner: bool) -> str:
    """Returns the sentence about a new partner or keeper in the next hand; "" if neither is new."""
    if new_partner:
        return _("You have a new partner for the next hands.")
    if seat != next_seat:
        colour, number = (
            _("From now on you play the colour keeper."),
            _("From now on you play the number keeper."),
        )
        return colour if next_seat == "ck" else number
    return ""


def too_few_sentence(config: Config) -> str:
    """Returns the sentence about missing partners."""
    if config["no_shows"] == "robot":
        return _("If nobody is free to play with you, you play with a robot.")
    return _("If nobody is free to play with you, you continue without these hands.")


def pair_sentences(results: Sequence[tuple[Any, ...]], partners: int) -> list[str]:
    """Returns sentences about the participant's results with a number of partners (0: a robot).

    ``results`` are the rows of the page of results.
    """
    solved_count = sum(result.outcome == "solved" for _number, result, *_rest in results)
    moves = sum(result.parts["moves"] for _number, result, *_rest in results)
    if partners <= 1:
        text = _("You and your partner solved {solved} of {hands} hands. Moves in all: {moves}.")
    else:
        text = _("You and your partners solved {solved} of {hands} hands. Moves in all: {moves}.")
    sentences = [text.format(solved=solved_count, hands=len(results), moves=moves)]
    if partners:
        sentences.append(_("Your partner has the same score as you in each hand."))
    return sentences
