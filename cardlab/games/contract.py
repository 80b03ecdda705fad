"""What every game keeps.

A hand is a deal plus a list of actions; everything else is a fold over that list. Each
``cardlab/games/<name>/rules.py`` is a module with these functions over an immutable ``State``:

``deal(seed, options) -> str``
    The deal as one line of text that a person can read and a deal file can hold (ruling 0).
``start(deal, options) -> State`` and ``seats(state) -> tuple[str, ...]``
    The hand before its first action; the names of those who play it.
``waiting_for(state) -> tuple[str, ...]``
    The seats that have to act now: none when the hand is over, several where they choose in secret. A
    choice of one of them changes nothing that another may do, until all have chosen.
``legal_actions(state, seat) -> list[str]``
    The moves (not looks, pick-ups or notes) that the seat may make now.
``apply(state, seat, action) -> State``
    Raises :class:`IllegalAction` with one sentence fit to show a participant (:mod:`cardlab.games.sentence`).
``view(state, seat) -> dict``
    JSON-ready; only what that seat may see at this moment. Nothing else is ever sent to a browser.
``is_over(state) -> bool`` and ``result(state, seat, seconds) -> Result``
    Whether play has ended, and what the hand is worth to the seat.

And, for what happens where no participant acts:

``absent_action(state, seat, seed) -> str``
    What is played for a seat that is waited for and whose participant stays away or has left.
``mark_played_by_server(state, seat) -> state``
    The state after an action that the server has just played so for the seat: the same, which may tell it.
``robot_action(state, seat, robot, seed) -> str``
    What a robot plays, by name; it knows no more than the view of its seat, unless the options say so.
``forced_action(state) -> str | None``
    The one action that the seat on turn can make, if the rules make it by themselves; else None.

``engine_question(state, seat, robot, seed) -> str | None``
    What a robot that has to search is asked for, where it plays in a process of its own; None if
    ``robot_action`` does it at once, which must always be able to: it is the last resort. The text holds all
    that the robot may know. The game's module ``engine`` has ``answer(question) -> str``, the action.

A game that has no such thing says so by importing :func:`no_absent_action`, :func:`no_server_mark`,
:func:`no_robot_action`, :func:`no_forced_action` or :func:`no_engine_question` under that name.

``options`` is a plain dict of JSON values: the settings in force, as they stand in the record.
``EXAMPLES``, a tuple of texts, has an action of each kind, for documents and tests.

Beside the rules a game's package says in its ``__init__`` which apps play it (``APPS``; of several the first
plays hands of one seat, the next those of two, and so on) and what people call it (``TITLE``), and has the
modules

``dealing``
    ``openings``, the hands of a session, made of its config (see ``cardlab.games.dealing``).
``texts``
    ``board_texts()``, what the scripts of the board say, by name.
``measures``
    What a hand comes to. ``COLUMNS`` and ``measure_hand(history, seat)`` are the game's own part of the
    table of hands; ``PARTS`` has tables of parts of a hand, such as its turns: name → (columns, function of a
    history).
    A history (``cardlab.games.hand.History``) is a hand folded, with all its steps.
``performance``
    What the analysis adds to that: ``HAND_MEASURES``, functions of a row of the table of hands,
    ``PARTICIPANT_MEASURES``, functions of a participant's rows and ``Thresholds``, each with its family
    (``cardlab.games.statistics.FAMILIES``). ``TIMING_COLUMNS`` names the columns of a hand that depend on how
    long something took, which baselines leave out. ``BASELINES`` names the strategies whose measures stand
    beside those of a participant, by the suffixes of their columns, and ``BEHAVIOUR`` the measures for which
    they do: those that times have no part in. ``SEARCH_MEASURES`` are measures of a hand that take a search,
    which no baseline needs. ``MODEL`` is what the table for models adds (``cardlab.games.statistics.Model``).
    ``SHARED``, which is optional, names the columns of that table that several players at a table have
    together. ``PARTS`` is like that of ``measures``, for tables that are made by ``python -m cardlab.analysis
    moves`` alone.
``strategies``
    ``STRATEGIES``, ways to play for simulations, by name. And ``new_view_policy(chance)``, what plays for a
    participant who has nothing but the page, soundly and to the end of each hand: a function of each
    ``rules.view`` that the page is sent, which gives the next action, or None while the seat need not act.
``simulation``
    How a simulated session is dealt: ``FIRST_ROUND`` and ``hands`` (see ``cardlab.games.simulation``).
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple, Protocol


class IllegalAction(Exception):
    """An action that the rules refuse; ``sentence`` says why, to the record and to the participant."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class BadFile(Exception):
    """A file that cannot be read as what it should be.

    ``message`` says what was found and what was expected; ``line`` and ``column`` count from 1.
    ``str(error)`` reads "game422.txt, line 7, column 3: …".
    """

    def __init__(self, file: str, message: str, line: int | None = None, column: int | None = None):
        self.file, self.message, self.line, self.column = file, message, line, column
        place = file
        if line is not None:
            place += f", line {line}"
        if column is not None:
            place += f", column {column}"
        super().__init__(f"{place}: {message}")


class NotInstalled(Exception):
    """A library that play needs not is not installed; ``str(error)`` says what to do."""


class Outcome(NamedTuple):
    """How a hand can end. ``is_regular``: play went to its end; ``is_goal``: to the end that it aims at."""

    meaning: str
    is_regular: bool = False
    is_goal: bool = False


OPEN = "open"
OUTCOMES = {
    "solved": Outcome("the player has reached what the deal asks for", True, True),
    "failed": Outcome("the moves are used up, and the player has not", True),
    "completed": Outcome("all cards are played", True, True),
    "won": Outcome("the player of the seat has won", True, True),
    "lost": Outcome("the player of the seat has lost", True, True),
    "drawn": Outcome("nobody has won", True, True),
    "gave_up": Outcome("the player gave the hand up"),
    "timeout": Outcome("the time limit of the hand ended it"),
    "advanced": Outcome("the researcher moved the participant on"),
    "stopped": Outcome("a participant stopped, because a co-player had lost the connection"),
    OPEN: Outcome("not over"),
}
"""Every outcome of every game. All but ``open`` can stand in a row ``end``."""


class Result(NamedTuple):
    """What a hand is worth to a seat: the score, its named parts, and how the hand ended."""

    score: int
    parts: dict[str, int | float]
    outcome: str


Policy = Callable[[Any, str], str]  # state and seat → the next action


ViewPolicy = Callable[[dict[str, Any]], str | None]  # a seat's view → its next action, if it has to act


class Strategy(NamedTuple):
    """A named way to play, for simulations.

    ``new_policy(chance)`` makes what plays for one participant: a function of state and seat that gives the
    next action. It is called in the order of play through all hands of the participant, so it may learn, and
    draws from ``chance`` alone. Unless ``description``, one sentence, says otherwise, it uses no more of the
    state than ``rules.view`` shows to its seat. ``source`` names the paper that it comes from, if one does.
    ``scaled(factor)``, where there is one, makes the players of ``NAME=FACTOR``: what the strategy is named
    after is so many times as strong in them, 0 for not at all. It is the effect size of power analyses.
    """

    new_policy: Callable[[Random], Policy]
    description: str
    source: str = ""
    scaled: Callable[[float], Callable[[Random], Policy]] | None = None


class Rules(Protocol):
    """The shape of a ``rules`` module, for type checkers and readers."""

    __name__: str

    def deal(self, seed: str, options: dict[str, Any]) -> str: ...
    def start(self, deal: str, options: dict[str, Any]) -> Any: ...
    def seats(self, state: Any) -> tuple[str, ...]: ...
    def waiting_for(self, state: Any) -> tuple[str, ...]: ...
    def legal_actions(self, state: Any, seat: str) -> list[str]: ...
    def apply(self, state: Any, seat: str, action: str) -> Any: ...
    def view(self, state: Any, seat: str) -> dict[str, Any]: ...
    def is_over(self, state: Any) -> bool: ...
    def result(self, state: Any, seat: str, seconds: float) -> Result: ...
    def absent_action(self, state: Any, seat: str, seed: str) -> str: ...
    def mark_played_by_server(self, state: Any, seat: str) -> Any: ...
    def robot_action(self, state: Any, seat: str, robot: str, seed: str) -> str: ...
    def forced_action(self, state: Any) -> str | None: ...
    def engine_question(self, state: Any, seat: str, robot: str, seed: str) -> str | None: ...


def no_absent_action(state: Any, seat: str, seed: str) -> str:
    """The ``absent_action`` of a game whose one player is waited for as long as the hand may last."""
    raise ValueError(f"Nobody plays for {seat} in this game.")


def no_server_mark(state: Any, seat: str) -> Any:
    """The ``mark_played_by_server`` of a game that tells nobody who played."""
    return state


def no_robot_action(state: Any, seat: str, robot: str, seed: str) -> str:
    """The ``robot_action`` of a game in which participants have all seats."""
    raise ValueError(f"There are no robots in this game, and so none called {robot}.")


def no_engine_question(state: Any, seat: str, robot: str, seed: str) -> None:
    """The ``engine_question`` of a game whose robots, if it has any, play at once."""


def no_forced_action(state: Any) -> None:
    """The ``forced_action`` of a game in which somebody decides whatever happens."""
