"""The rows of a hand's record after the deal, and what those are called that are no action of the game.

A row is an action that the rules took (``accepted``), one that was refused, or a note of the server. The
last row of a closed hand is ``end <outcome>``, which has no seat.
"""

from typing import NamedTuple

# Notes of every hand: the page was loaded or connected again; it was opened on another page too, and whether
# the person there went on to play; the computer's clock was set forward or back by so many seconds.
RECONNECT, SECOND_TAB, SECOND_TAB_PLAYS, CLOCK_CHANGE = (
    "reconnect",
    "second tab",
    "second tab plays",
    "clock ",
)

# Notes of hands that others play too: a participant's first look; that the next row is played for one; that
# from now on a seat is played for at once; that its participant is there again; that they went on before
# the end, with the outcome for them.
ARRIVE, ABSENT, AWAY, BACK, LEAVE = "arrive", "absent", "away", "back", "leave "

# A note of hands in which a robot has to search: that it plays the next row without, because no answer of the
# engine came in time, or none that the rules allow.
UNSEARCHED = "unsearched"

# A note of such hands: what the engine says of the search for the robot's next row, such as its depth.
SEARCHED = "searched "

# Notes of what the researcher does to a hand: it stands still from now on, on account of a seat; it goes on;
# the participant of a seat has dropped out, and is not waited for until they are back.
PAUSE, RESUME, DROPPED_OUT = "pause", "go on", "dropped out"

# Notes of what a participant chose whose co-player has had no connection for a while: to wait on; that the
# server plays for the absent co-player (a note ``DROPPED_OUT`` follows); to stop and be paid (the end row or
# a note ``LEAVE`` follows).
KEEP_WAITING, LET_SERVER_PLAY, STOP = ABSENCE_CHOICES = ("keep waiting", "let server play", "stop")

PERSON = "person"  # who acted by themselves, beside a robot's name, and who stayed away (``ABSENT``)

# What a browser tells of its page: that the rules, the earnings so far or the best hands were opened; that a
# step of the instructions was done, with its name.
RULES, EARNINGS, BEST_HANDS, TUTORIAL_STEP = "rules", "earnings", "best", "step "

END = "end "


class Event(NamedTuple):
    """One row of a hand's record after the deal.

    An accepted action has a ``number`` (1, 2 … within the hand; the deal is number 0) and
    ``accepted`` True. A refused one has the number it asked for, ``accepted`` False and the
    ``reason``. A note of the server (``reconnect``) has neither number nor ``accepted``.
    ``client_ms`` is milliseconds since the hand was first shown, by the participant's own clock, None for
    what the server did and noted; ``server_ms`` is Unix time in milliseconds, by the server's.
    """

    number: int | None
    seat: str
    action: str
    client_ms: int | None
    server_ms: int
    accepted: bool | None = True
    reason: str = ""

    @property
    def end_outcome(self) -> str | None:
        """The outcome if this row ends the hand, else None; a browser that says so has a seat."""
        return self.action[len(END) :] if self.accepted and not self.seat else None

    @property
    def tutorial_step(self) -> str | None:
        """The name of the step of the instructions, of the note that it was done; else None."""
        noted = self.accepted is None and self.action.startswith(TUTORIAL_STEP)
        return self.action[len(TUTORIAL_STEP) :] if noted else None

    @property
    def search(self) -> str | None:
        """What the engine says of a search, of the note that has it; else None."""
        noted = self.accepted is None and self.action.startswith(SEARCHED)
        return self.action[len(SEARCHED) :] if noted else None

    @property
    def leave_outcome(self) -> str | None:
        """The outcome for a participant who goes on before the end, of the note that says so; else None."""
        noted = self.accepted is None and self.action.startswith(LEAVE)
        return self.action[len(LEAVE) :] if noted else None

    def is_note(self, name: str) -> bool:
        """Whether it is the note of that name."""
        return self.accepted is None and self.action == name

    @property
    def accepted_number(self) -> int:
        """The number of an accepted action. Raises ValueError for a note, which has none."""
        if self.number is None:
            raise ValueError(f"A note has no number: {self.action}")
        return self.number


def server_note(seat: str, name: str, ms: int) -> Event:
    """Returns a note of the server about a seat ("" for all), at its time."""
    return Event(None, seat, name, None, ms, None)
