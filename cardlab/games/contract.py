"""The contract of a game: the modules and functions that its package must provide.

A hand is a deal plus a list of actions, and everything else is a fold over that list. Each
``cardlab/games/<name>/rules.py`` has the functions of :class:`Rules` over an immutable ``State``.
A game that does not need one of ``absent_action``, ``mark_played_by_server``, ``robot_action``,
``forced_action`` and ``engine_question`` imports :func:`no_absent_action`, :func:`no_server_mark`,
:func:`no_robot_action`, :func:`no_forced_action` or :func:`no_engine_question` under that name.

``options`` is a plain dict of JSON values: the settings in force, as the record stores them. ``EXAMPLES`` is
a tuple with one action of each kind, for the documentation and tests.

The ``__init__`` of the package names the apps (``APPS``; if there are several, the first plays hands with one
seat, the next those with two, and so on) and the title (``TITLE``). The package has these other modules:

``dealing``
    ``openings``, which deals the hands of a session from its config (see ``cardlab.games.dealing``).
``texts``
    ``board_texts()``, which returns the texts of the board's scripts by name.
``measures``
    ``COLUMNS`` and ``measure_hand(history, seat)``, the game's own part of the table of hands, and ``PARTS``,
    tables of parts of a hand such as its turns: name -> (columns, function of a history). A history
    (``cardlab.games.hand.History``) is a folded hand with all its steps.
``performance``, optional
    ``MEASURES``, the measures that only the analysis computes (``cardlab.games.performance.Performance``).
``strategies``
    ``STRATEGIES``, strategies for simulations by name, and ``new_view_policy(chance)``, which returns the
    policy of a simulated participant: a function from each ``rules.view`` that the page gets to the next
    action, or to None while the seat need not act. It plays legal actions until the hand ends.
``simulation``, optional
    How a simulated session is dealt: ``FIRST_ROUND`` and ``hands`` (see ``cardlab.games.simulation``).
"""

from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple, Protocol


class IllegalAction(Exception):
    """An action that the rules reject; ``sentence`` is the reason, for the record and the participant."""

    def __init__(self, sentence: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence


class BadFile(Exception):
    """A file has invalid content.

    ``message`` says what the file has and what was expected; ``line`` and ``column`` count from 1.
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
    """An optional library is not installed; ``str(error)`` says what to do."""


class Outcome(NamedTuple):
    """A way in which a hand can end.

    ``is_regular`` says whether play ended the hand. ``is_goal`` says whether the hand was played out: solved,
    completed, won, lost or drawn.
    """

    meaning: str
    is_regular: bool = False
    is_goal: bool = False


OPEN = "open"
STOPPED = "stopped"
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
    STOPPED: Outcome("a participant stopped, because a co-player had lost the connection"),
    OPEN: Outcome("not over"),
}
"""The outcomes of all games by name. All but ``open`` can be in an ``end`` row."""


class ScoreGuide(NamedTuple):
    """The bounds of scores, infinite where the rules set none, and the scores of a bad and a good hand."""

    lowest: float
    bad: int
    good: int
    highest: float


class Result(NamedTuple):
    """The result of a hand for a seat: the score in points, its named parts, and the outcome."""

    score: int
    parts: dict[str, int | float]
    outcome: str


class Reply(NamedTuple):
    """An answer of a game's engine: the action, and a note on its search for the record, if any."""

    action: str
    searched: str = ""


Policy = Callable[[Any, str], str]  # state and seat → the next action


ViewPolicy = Callable[[dict[str, Any]], str | None]  # a seat's view → its next action, if it has to act


class Strategy(NamedTuple):
    """A strategy for simulations.

    ``new_policy(chance)`` makes the policy of one participant: a function of state and seat that returns the
    next action. It is called in order of play through all hands of the participant, so it may learn, and it
    draws random numbers only from ``chance``. Unless ``description``, one sentence, says otherwise, it uses
    only the part of the state that ``rules.view`` shows to its seat. ``source`` names the paper that it comes
    from, if any. ``scaled(factor)``, if given, makes the strategy ``NAME=FACTOR``, which has the trait of
    this one at ``factor`` times its strength (0: not at all). Power analyses use it as the effect size.
    """

    new_policy: Callable[[Random], Policy]
    description: str
    source: str = ""
    scaled: Callable[[float], Callable[[Random], Policy]] | None = None


class Rules(Protocol):
    """The functions of a ``rules`` module, for type checkers and readers."""

    __name__: str

    def deal(self, seed: str, options: dict[str, Any]) -> str:
        """Returns a deal as one readable line of text, as deal files store it (ruling 0)."""
        ...

    def start(self, deal: str, options: dict[str, Any]) -> Any:
        """Returns the state before the first action. Raises ValueError for an invalid deal or option."""
        ...

    def seats(self, state: Any) -> tuple[str, ...]:
        """Returns the names of all seats of the hand."""
        ...

    def waiting_for(self, state: Any) -> tuple[str, ...]:
        """Returns the seats that must act now: none when the hand is over, several for secret choices.

        A secret choice does not change the legal actions of other seats until all have chosen.
        """
        ...

    def legal_actions(self, state: Any, seat: str) -> list[str]:
        """Returns the moves that the seat may make now. Looks, pick-ups and notes are not moves."""
        ...

    def apply(self, state: Any, seat: str, action: str) -> Any:
        """Returns the state after an action.

        Raises :class:`IllegalAction` with a sentence for the participant (:mod:`cardlab.games.sentence`).
        """
        ...

    def view(self, state: Any, seat: str) -> dict[str, Any]:
        """Returns the part of the state that the seat may see, as JSON values.

        The server sends no other part of the state to a browser.
        """
        ...

    def is_over(self, state: Any) -> bool:
        """Whether play has ended."""
        ...

    def result(self, state: Any, seat: str, seconds: float) -> Result:
        """Returns the result for the seat after ``seconds`` of play."""
        ...

    def absent_action(self, state: Any, seat: str, seed: str) -> str:
        """Returns the action that the server plays for a participant who is absent or has left."""
        ...

    def mark_played_by_server(self, state: Any, seat: str) -> Any:
        """Returns the state with a mark that the server has just played, if the game shows such a mark."""
        ...

    def robot_action(self, state: Any, seat: str, robot: str, seed: str) -> str:
        """Returns the action of the robot with this name.

        The robot uses only the view of its seat, unless the options let it see more.
        """
        ...

    def forced_action(self, state: Any) -> str | None:
        """Returns the action of the seat whose turn it is if the rules leave no choice; else None."""
        ...

    def engine_question(self, state: Any, seat: str, robot: str, seed: str) -> str | None:
        """Returns the question to a robot that searches in a worker process.

        Returns None if ``robot_action`` is fast enough to run in the server.
        The text contains everything that the robot may know. The game's module ``engine`` has
        ``answer(question) -> Reply``. It may have ``warm_up()``, which makes the first answer as fast as the
        others. ``robot_action`` must work in any case, because it is the fallback if no answer comes in time.
        """
        ...


def no_absent_action(state: Any, seat: str, seed: str) -> str:
    """The ``absent_action`` of a game for one player, in which the server never plays for the participant."""
    raise ValueError(f"Nobody plays for {seat} in this game.")


def no_server_mark(state: Any, seat: str) -> Any:
    """The ``mark_played_by_server`` of a game that does not show who played."""
    return state


def no_robot_action(state: Any, seat: str, robot: str, seed: str) -> str:
    """The ``robot_action`` of a game without robots."""
    raise ValueError(f"There are no robots in this game, and so none called {robot}.")


def no_engine_question(state: Any, seat: str, robot: str, seed: str) -> None:
    """The ``engine_question`` of a game that has no robots, or only fast ones."""


def no_forced_action(state: Any) -> None:
    """The ``forced_action`` of a game in which a participant decides everything."""
