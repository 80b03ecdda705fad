"""Runs the analysing mode of Challenge in the terminal: typed lines in, text out (ruling 21).

The user plays the participant's seat, the computer the other. Commands, rules and the computer's answers are
those of the game.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cardlab.games.challenge import commands, rules
from cardlab.games.challenge.deal import Deal, format_deal
from cardlab.games.challenge.engine import answer
from cardlab.games.challenge.log import Game
from cardlab.games.challenge.packs import SUITS, in_order, pack
from cardlab.games.challenge.position import PICK_UP
from cardlab.games.contract import IllegalAction

OWN, OTHER = rules.SEATS
INSTRUCTIONS = """\
Challenge is a game for two players. Each player has a trump suit. The player who leads plays any card to the
table. The other player beats the top card or picks up the whole table. A higher card of the same suit beats
the top card, and so does one of the player's own trumps (a higher one if the top card is a trump of theirs).
{better} {pickup}
The first player to run out of cards wins. The game is a draw when a position occurs for the third time.

Here you analyse a game: go back and try another move, ask the computer, or set up any position. To set up a
position, take all cards (setup) and play those that the computer should have, which it picks up. Pass if the
computer should lead. End the analysis with Ctrl-D (on Windows: Ctrl-Z and Enter)."""
_BETTER = {
    "pass": "After a player beats a card, it is the other player's turn.",
    "lead": "After beating a card, the player plays another card on top.",
}
_PICKUP = {"opponent": "After a pick-up, the other player leads.", "picker": "A player who picks up leads."}
_LOGS = "You cannot log a game here. To download the log of a session, use its page Data."
_NOT_RESIGNED = "You cannot resign while you analyse a game. To go to the next game, type !a."
_ENDS = {
    "repeated": "The game is a draw: this position occurred for the third time.",
    "too_long": "The game is a draw: it has reached the maximum number of actions.",
}


class Start(NamedTuple):
    """The start of an analysis: a title, and the arguments of ``rules.start``."""

    title: str
    deal: str
    options: dict[str, Any]


def start_at_end(game: Game, title: str) -> Start:
    """Returns the start at the end of a logged game."""
    about = f"{title}: {'; '.join(game.about)}" if game.about else title
    end = f"Result: {game.result}." if game.result != "open" else "It was not finished."
    return Start(f"{about}\n{end}", game.deal, {**game.options, "moves": game.moves})


def start_set_up(size: int) -> Start:
    """Returns a start with all cards in the user's hand. ``size`` is the number of cards per suit."""
    title = "Set up a position: play the cards that the computer should have; z lets it lead."
    return Start(title, format_deal(Deal((), pack(size), rules.PLAYERS[OWN])), {"size": size})


class Session:
    """An analysis that handles one typed line at a time. ``over`` says that all starts have been analysed.

    Parameters:
        starts: the starts. The command ``!a`` goes to the next one.
        depth: the search depth of the computer.
        say: prints a text of one or more lines.
        again: whether the last start is repeated forever.
    """

    def __init__(self, starts: Sequence[Start], depth: int, say: Callable[[str], None], again: bool = False):
        self._remaining, self._again, self._say = list(starts), again, say
        self._options = {"depth": depth, "analysing": True, "robots": {OTHER: rules.COMPUTER}}
        self._commands_shown = False
        self.over = False
        self._next()

    def handle_line(self, typed: str) -> None:
        """Handles a typed line."""
        try:
            command = commands.read(typed)
            if command in commands.PAGE_COMMANDS:
                self._run_page_command(command)
            elif command == rules.RESIGN:
                self._say(_NOT_RESIGNED)
            else:
                self._act(command)
        except IllegalAction as error:
            self._say(error.sentence)
        except ValueError as error:
            self._say(str(error))

    def _next(self) -> None:
        if not self._remaining:
            self._say("That was the last game.")
            self.over = True
            return
        start = self._remaining[0]
        if len(self._remaining) > 1 or not self._again:
            del self._remaining[0]
        self.state = rules.start(start.deal, {**start.options, **self._options})
        self._say(start.title)
        self._let_computer_answer()
        self._show()

    def _run_page_command(self, command: str) -> None:
        """Runs a command that does not change the game."""
        if command == commands.NEXT:
            self._next()
        elif command == commands.MAY:
            self._say(self._legal_moves_text())
        elif command == commands.MARK:
            is_on = OWN in self.state.marks
            self._act("mark off" if is_on else "mark on")
        elif command == commands.WINDOW:
            self._commands_shown = not self._commands_shown
            listed = (f"  {typed:<6} {text}" for typed, text in commands.command_list(self.state.options))
            self._say("\n".join(listed) if self._commands_shown else "The list of commands is hidden.")
        else:
            self._say(_instructions(self.state) if command == commands.INSTRUCTIONS else _LOGS)

    def _act(self, action: str) -> None:
        """Applies the user's action and the computer's answer."""
        if action in ("log on", "log off"):
            self._say(_LOGS)
            return
        self.state = rules.apply(self.state, OWN, action)
        if action == rules.CONSULT:
            self._let_computer_answer()
        elif action in rules.TOGGLES:
            marked = OWN in self.state.marks
            hidden = "To see what you may play, type ?."
            self._say(self._legal_moves_text() if marked else hidden)
        else:
            self._let_computer_answer()
            self._show()

    def _let_computer_answer(self) -> None:
        """Applies the computer's actions until the user has to act."""
        players = OTHER, rules.COMPUTER, "analysis"
        while rules.waiting_for(self.state) == (OTHER,):
            engine_question = rules.engine_question(self.state, *players)
            action = (
                answer(engine_question).action
                if engine_question
                else rules.robot_action(self.state, *players)
            )
            table_count = len(self.state.position.table)
            question = self.state.asked
            self.state = rules.apply(self.state, OTHER, action)
            self._say(_describe_action(self.state, action, question, table_count))

    def _show(self) -> None:
        """Prints the position, and the result or the legal moves."""
        self._say(_describe_position(self.state))
        if self.state.ended:
            sentences = {OWN: "You have won.", OTHER: "The computer has won."}
            end = sentences.get(self.state.winner) or _ENDS[self.state.ended]
            self._say(f"{end} (b: undo, !a: next game)")
        elif OWN in self.state.marks:
            self._say(self._legal_moves_text())

    def _legal_moves_text(self) -> str:
        legal = [action.removeprefix("play ") for action in rules.legal_actions(self.state, OWN)]
        cards = [action for action in legal if action in rules.MOVES]
        words = [f"play {' '.join(cards)}"] if cards else []
        words += ["pick up"] if PICK_UP in legal else []
        words += ["go back"] if not words and rules.BACK in legal else []
        return (
            f"You may {' or '.join(words)}."
            if words
            else "The game is over. To go to the next game, type !a."
        )


def _instructions(state: rules.State) -> str:
    form = state.position.form
    return INSTRUCTIONS.format(better=_BETTER[form.after_better], pickup=_PICKUP[form.after_pickup])


def _describe_action(state: rules.State, action: str, question: str, table_count: int) -> str:
    """Describes the computer's action. ``table_count`` is the number of cards that a pick-up took."""
    if state.advice:
        advice = state.advice
        line = f", then {' '.join(map(rules.spelled, advice.line))}" if advice.line else ""
        return f"The computer would play {rules.spelled(advice.move)}, {_describe_value(advice)}{line}."
    if question == rules.CLAIM:
        if action == rules.ACCEPT:
            return "The computer agrees: you can force a win."
        return "The computer has not found a forced win here, so the claim is not proved."
    if action == PICK_UP:
        return f"The computer picks up {table_count} card{'' if table_count == 1 else 's'}."
    return f"The computer plays {action.removeprefix('play ')}."


def _describe_value(advice: rules.Advice) -> str:
    sure = {"won": "a forced win", "lost": "a forced loss", "drawn": "a sure draw"}
    return sure.get(advice.standing, f"value for you: {advice.worth:+d}")


def _describe_position(state: rules.State) -> str:
    """Describes both hands by suit, the table with its top card last, the trumps and the player to move."""
    position = state.position
    by_seat = {seat: in_order(position.hands[rules.PLAYERS[seat]]) for seat in rules.SEATS}
    player_names = {OTHER: "computer", OWN: "you"}
    rows = [
        f"  {player_names[seat]:<9} {_by_suit(cards)}   trumps {position.trumps[rules.PLAYERS[seat]]}"
        for seat, cards in reversed(by_seat.items())
    ]
    rows.insert(1, f"  {'table':<9} {' '.join(position.table) or '-'}")
    if not state.ended:
        rows.append(
            "Your turn: lead a card." if position.to_lead else f"Your turn: beat {position.table[-1]}."
        )
    return "\n".join(rows)


def _by_suit(cards: Sequence[str]) -> str:
    ranks_by_suit = {suit: [card[:-1] for card in cards if card[-1] == suit] for suit in SUITS}
    return "   ".join(f"{suit} {' '.join(ranks) or '-'}" for suit, ranks in ranks_by_suit.items())
