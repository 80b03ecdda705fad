"""What participants read, on the board (also in a replay) and on the pages around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from gettext import gettext as _
from gettext import ngettext
from typing import Any, NamedTuple

from cardlab.games.cards import pretty
from cardlab.games.contract import Result
from cardlab.games.dealing import Config
from cardlab.games.number_format import plain
from cardlab.games.record import Opening
from cardlab.games.text_forms import Texts, by_count
from cardlab.games.ttt import board


@cache
def board_texts() -> Texts:
    """Returns what the board's scripts say (_static/ttt); the words in braces are filled in there.

    Looked up once: the language is the server's, and gettext searches its files at every word.
    """
    return {
        "place_Ck": _("Ck, colour keeper"),
        "place_T": _("Target"),
        "place_Nk": _("Nk, number keeper"),
        "place_C": "C",
        "place_UP": "UP",
        "place_N": "N",
        "goal": _("Goal"),
        "face_down": _("face down"),
        "card": _("{rank} of {suit}"),
        "suit_H": _("hearts"),
        "suit_C": _("clubs"),
        "place_and_card": _("{place}: {card}"),
        "place_on_turn": _("{place}, to move: {card}"),
        "now_there": _("{place}: {card}."),
        "turn": _("{keeper} to move. Moves left: {left}."),
        "played": _("{move} played."),
        "passed": _("Passed."),
        "keepers_never": _("Ck and Nk never exchange directly."),
        "other_keeper": _("It is {keeper}’s turn: only the card at {keeper} can be exchanged now."),
        "needs_keeper": _("An exchange is always with the keeper to move: drop the card on {keeper}."),
        "drag_onto_keeper": _("Here the keeper’s card stays: choose the card that shall come to {keeper}."),
        "how_to_keeper": _("Choose the card that shall come here: the one at C, UP, N or Target."),
        "no_look": _("Only the card of the keeper to move may be looked at now."),
        "one_moment": _("One moment please: your last move is still being sent."),
        "next_hand": _("Next hand"),
        "see_results": _("See results"),
        "solved": by_count(
            lambda count: ngettext(
                "Solved in 1 move · Score {score}", "Solved in {count} moves · Score {score}", count
            )
        ),
        "solved_timed": _("Solved in {seconds} seconds · Score {score}"),
        "failed": _("Not solved: {moves} moves used · Score {score}"),
        "timeout": _("Time is over: not solved · Score {score}"),
        "ended": _("This hand is over · Score {score}"),
        **_pair_texts(),
    }


def _pair_texts() -> Texts:
    """Returns the texts for two players: ``who`` inside a sentence, ``name`` at a player's keeper."""
    return {
        "who_partner": _("your partner"),
        "who_robot": _("the robot"),
        "name_you": _("You"),
        "name_partner": _("Partner"),
        "name_robot": _("Robot"),
        "tag_yours": _("your turn"),
        "tag_to_move": _("to move"),
        "place_yours": _("{place}, yours: {card}"),
        "place_your_turn": _("{place}, your turn: {card}"),
        "your_turn": _("Your turn: you move {keeper}."),
        "thinking": _("{who} is thinking …"),
        "waiting": _("Waiting for {who} …"),
        "away": _("{who} is not at the table."),
        "over": _("The hand is over."),
        "exchanged": _("{who} exchanged with {place}."),
        "has_passed": _("{who} passed."),
        "passed_for_you": _("Time was up: a pass was made for you."),
        "passed_for": _("A pass was made for {who}."),
        "deadline_you": _("A pass is made for you in {time}"),
        "deadline": _("A pass is made for {who} in {time}"),
        "hurry": _("{seconds} seconds left."),
        "wait_for": _("Please wait until {who} has moved."),
        "no_look_at_other": _("You cannot look at this card: it belongs to the other keeper."),
        "not_your_keeper": _("This is not your keeper: you move {keeper}."),
    }


def keeper_name(keeper: str) -> str:
    """Returns how a keeper is called in a sentence."""
    return _("Ck, the colour keeper") if keeper == "ck" else _("Nk, the number keeper")


def coach_texts() -> Texts:
    """Returns what the tutorial says next to the practice board (_static/ttt/tutorial.js)."""
    return {
        "ask_exchange": _(
            "Ck is to move: its card has the green edge. Choose the card at C. Perhaps the goal lies there."
        ),
        "praise_exchange": _("Well done: the goal card, 2♥, lay at C and has come to Ck. Now Nk is to move."),
        "ask_look": _("{keeper} is to move, and its card lies face down. Click or tap it to look at it."),
        "praise_look": _("Now you see it. After the next move it lies face down again."),
        "ask_number": _("Nk is to move. 4♥ and 4♣ have the same number. Choose the card in Target."),
        "praise_number": _("Well done: 4♥ is in Target now, and Ck is to move again."),
        "ask_colour": _("Ck has the goal card, 2♥. It has the same colour as 4♥. Choose the card in Target."),
        "praise_colour": _("Solved: the goal card is in Target, after three moves."),
        "ask_refused": _(
            "The hand begins anew. 3♥ at Ck is red, 4♣ in Target is black. Try it all the same: "
            "choose the card in Target."
        ),
        "praise_refused": _("Refused, as it should be: the colours differ. The ✗ shows where."),
        "behind": _("First choose the card at {place}."),
        "astray": _("You went another way. Press “Start over”, and then do what is asked here."),
        "used_up": _("All moves are used up. Press “Start over”."),
    }


def pair_coach_texts(seat: str) -> Texts:
    """Returns what the tutorial says next to the practice board (_static/ttt/tutorial_of_two.js)."""
    own = {"keeper": seat.capitalize(), "place": "C" if seat == "ck" else "N"}
    if seat == "ck":
        refused = _(
            "The hand begins anew. 3♥ at Ck is red, 4♣ in Target is black. Try it all the same: "
            "choose the card in Target."
        )
        why = _("Refused, as it should be: the colours differ. The ✗ shows where.")
    else:
        refused = _(
            "The hand begins anew. 3♥ at Nk is a 3, 4♣ in Target is a 4. Try it all the same: "
            "choose the card in Target."
        )
        why = _("Refused, as it should be: the numbers differ. The ✗ shows where.")
    return {
        "ask_exchange": _(
            "Here you have {keeper}, and a robot plays your partner. It is your turn: choose the card at "
            "{place}. Perhaps the goal lies there."
        ).format(**own),
        "praise_exchange": _("Well done: the goal card, 2♥, lay at {place} and has come to you.").format(
            **own
        ),
        "ask_partner": _("Make another move, and watch what the robot does then."),
        "praise_partner": _("That was the robot’s move: the frames show which two cards it has exchanged."),
        "praise_passed": _("The robot has passed: no card has moved, and it is your turn."),
        "praise_solved": _("Solved: together you have brought the goal card into Target."),
        "ask_look": _("Your card lies face down. Click or tap it to look at it."),
        "praise_look": _("Now you see it; the robot does not know. After your move it is face down again."),
        "ask_refused": refused,
        "praise_refused": why,
        "behind": _("First choose the card at {place}.").format(**own),
        "astray": _("You went another way. Press “Start over”, and then do what is asked here."),
        "used_up": _("This hand is over. Press “Start over”."),
    }


def keys_sentence() -> str:
    """Returns what the keys do on the board to try."""
    return _("The keys U, C, N and T exchange, P passes, V looks at the keeper to move.")


def pair_keys_sentence() -> str:
    """Returns the same where two play."""
    return _("The keys U, C, N and T exchange, P passes, V looks at the card of your keeper.")


class SessionHands(NamedTuple):
    """What all hands of a session have in common: the last hand, the goals, and whether these change."""

    last: Opening
    goals: tuple[str, ...]
    changes: bool

    @classmethod
    def from_openings(cls, hands: Sequence[Opening]) -> SessionHands:
        """Returns what these openings have in common."""
        dealt = {board.parse_deal(hand.deal)[1:] for hand in hands}
        return cls(hands[-1], tuple({goal for goal, _first in dealt}), len(dealt) > 1)


def rules_vars(hands: SessionHands) -> dict[str, Any]:
    """Returns the variables of the rules."""
    last, goals, changes = hands
    shown = ("ViewCkNk", "ViewCard", "ViewTarget", "MaxRounds")
    return {
        "options": {key: last.options[key] for key in shown},
        "timed": last.options["pay_by"] == "time",
        "goal": pretty(goals[0]) if len(goals) == 1 else "",
        "changes": changes,
        "hands": last.of,
    }


def news(now: Opening, before: Opening) -> str:
    """Returns what differs in a hand from the one before, if the board shows it; "" if nothing does."""
    (_layout, goal, first), (_before, old_goal, old_first) = map(board.parse_deal, (now.deal, before.deal))
    sentences = []
    if goal != old_goal and now.options["ViewTarget"]:
        sentences.append(_("The goal card is another one now: {goal}.").format(goal=pretty(goal)))
    if first != old_first:
        sentences.append(_("In this hand {keeper} moves first.").format(keeper=first.capitalize()))
    return " ".join(sentences)


def score_sentences(config: Config) -> list[str]:
    """Returns how a hand earns its score, a sentence each; ``config`` has the options of the hands."""
    if config["pay_by"] == "time":
        scored = _(
            "A solved hand has a score of up to 1000, the faster the more; after {seconds} seconds, 0."
        )
        scored = scored.format(seconds=plain(config["time_scale_seconds"]))
    else:
        scored = _("A solved hand has a score of 1000 less {points} for each move, passes included.")
        scored = scored.format(points=plain(1000 / config["MaxRounds"]))
    return [scored, _("A hand that is not solved has the score 0.")]


def example_score(config: Config) -> int:
    """Returns a usual score: that of five moves, or of a quarter of the time."""
    return 750 if config["pay_by"] == "time" else round(1000 - 5000 / config["MaxRounds"])


def result_columns() -> list[tuple[str, Callable[[Result], object]]]:
    """Returns the columns of the table of results."""
    return [
        (_("Moves"), lambda result: result.parts["moves"]),
        (_("Solved"), lambda result: _("yes") if result.outcome == "solved" else _("no")),
    ]


def pair_rules_vars(config: Config, hands: SessionHands) -> dict[str, Any]:
    """Returns the variables of the rules where two play."""
    shown = rules_vars(hands)
    return {
        **shown,
        "partner": partner_sentence(config),
        "roles": roles_sentence(config),
        "sees": sight_sentence(shown["options"]),
    }


def partner_sentence(config: Config) -> str:
    """Returns who the partner is, in a sentence."""
    if config["group_size"] == 1:
        return _("Your partner is a robot, which sees no more than you would in its place.")
    if config["partners"] == "kept" or not config["blocks"]:
        return _("Your partner is another participant, the same in all hands.")
    return _("Your partner is another participant; the page tells you when you play with somebody else.")


def roles_sentence(config: Config) -> str:
    """Returns which keeper the participant has, or that they will be told."""
    if config["group_size"] == 1:
        sentence = _("You have {keeper}.").format(keeper=keeper_name(board.other(config["robot_seat"])))
    else:
        sentence = _("One of you has Ck, the colour keeper, the other Nk, the number keeper.")
        sentence = f"{sentence} {_('The page tells you which one is yours.')}"
    return sentence if config["roles"] == "kept" else f"{sentence} {_('Later you have the other one.')}"


def sight_sentence(options: dict[str, Any]) -> str:
    """Returns whose keeper's card one may see, in a sentence (ViewCard)."""
    if options["ViewCard"] == "all":
        return _("You and your partner see the cards of both keepers.")
    if options["ViewCard"] == "mix":
        return _("Of the keepers you see only the card of your own; after the first exchange you see both.")
    return _("Of the keepers you see only the card of your own, and your partner only that of theirs.")


def change_sentence(seat: str, seat_before: str, new_partner: bool) -> str:
    """Returns that the participant plays with somebody else now, or has another keeper; "" if neither."""
    sentences = [_("You play with another partner now.")] if new_partner else []
    if seat != seat_before:
        sentences.append(_("You have {keeper}.").format(keeper=keeper_name(seat)))
    return " ".join(sentences)


def next_hand_sentence(seat: str, next_seat: str, new_partner: bool) -> str:
    """Returns that the next hand is with another partner or another keeper; "" if neither."""
    if new_partner:
        return _("You play the next hands with another partner.")
    if seat != next_seat:
        return _("From now on you have {keeper}.").format(keeper=keeper_name(next_seat))
    return ""


def too_few_sentence(config: Config) -> str:
    """Returns what happens if there is nobody to play with."""
    if config["no_shows"] == "robot":
        return _("If there is nobody to play with you, a robot does.")
    return _("If there is nobody to play with you, you go on without these hands.")


def pair_sentences(results: Sequence[tuple[Any, ...]], partners: int) -> list[str]:
    """Returns what the participant has reached with so many partners (0: a robot), a sentence each.

    ``results`` are the rows of the page of results.
    """
    solved = sum(result.outcome == "solved" for _number, result, *_rest in results)
    moves = sum(result.parts["moves"] for _number, result, *_rest in results)
    if partners <= 1:
        together = _(
            "You and your partner have solved {solved} of {hands} hands together, in {moves} moves in all."
        )
    else:
        together = _(
            "You and your partners have solved {solved} of {hands} hands together, in {moves} moves in all."
        )
    sentences = [together.format(solved=solved, hands=len(results), moves=moves)]
    if partners:
        sentences.append(_("Each hand has earned your partner the same score as you."))
    return sentences
