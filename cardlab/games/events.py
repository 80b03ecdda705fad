"""The rows of a hand's record after the deal, and the names of the rows that are not game actions.

A row is an action that the rules accepted, an action that they refused, or a note of the server. The last row
of a closed hand is ``end <outcome>``, which has no seat.
"""

from typing import NamedTuple

# Notes in any hand: the page was reloaded or reconnected; it was opened in a second tab, and whether the
# person there continued to play; the computer's clock was set forward or back by some seconds.
RECONNECT, SECOND_TAB, SECOND_TAB_PLAYS, CLOCK_CHANGE = (
    "reconnect",
    "second tab",
    "second tab plays",
    "clock ",
)

# Notes in multiplayer hands: a participant arrived; the server plays the next row for an absent participant;
# from now on the server plays for the seat without waiting; the participant came back; the participant left
# before the end, with their outcome.
ARRIVE, ABSENT, AWAY, BACK, LEAVE = "arrive", "absent", "away", "back", "leave "

# A note in hands with a robot that searches: the robot plays the next row without a search, because the
# engine gave no legal answer in time.
UNSEARCHED = "unsearched"

# A note in such hands: facts about the search for the robot's next row, such as its depth.
SEARCHED = "searched "

# Notes of the researcher's commands: pause the hand because of a seat; resume it; treat the participant of a
# seat as a dropout, for whom nobody waits until they are back.
PAUSE, RESUME, DROPPED_OUT = "pause", "go on", "dropped out"

# Notes of a participant's choice when a co-player has been disconnected for a while: keep waiting; let the
# server play for the co-player (a note ``DROPPED_OUT`` follows); stop and be paid (the end row or a note
# ``LEAVE`` follows).
KEEP_WAITING, LET_SERVER_PLAY, STOP = ABSENCE_CHOICES = ("keep waiting", "let server play", "stop")

PERSON = "person"  # the actor of a row, if not the server (``ABSENT``) or a robot (its name)

# Notes that a page sends: the participant opened the rules, the earnings so far or the best hands, or
# completed a step of the instructions, with its name.
RULES, EARNINGS, BEST_HANDS, TUTORIAL_STEP = "rules", "earnings", "best", "step "

END = "end "


class Event(NamedTuple):
    """One row of a hand's record after the deal.

    An accepted action has a ``number`` (1, 2 … within the hand; the deal is number 0) and
    ``accepted`` True. A refused one has the number that the client sent, ``accepted`` False and the
    ``reason``. A note of the server (``reconnect``) has neither number nor ``accepted``.
    ``client_ms`` is milliseconds since the hand was first shown, by the participant's own clock, or None for
    actions and notes of the server. ``server_ms`` is Unix time in milliseconds, by the server's clock.
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
        """The outcome if this row ends the hand, else None.

        A row with a seat never ends the hand, even if a browser sends the text of an end row.
        """
        return self.action[len(END) :] if self.accepted and not self.seat else None

    @property
    def tutorial_step(self) -> str | None:
        """The completed step of the instructions if this row is such a note, else None."""
        noted = self.accepted is None and self.action.startswith(TUTORIAL_STEP)
        return self.action[len(TUTORIAL_STEP) :] if noted else None

    @property
    def search(self) -> str | None:
        """The engine's facts about a search if this row is such a note, else None."""
        noted = self.accepted is None and self.action.startswith(SEARCHED)
        return self.action[len(SEARCHED) :] if noted else None

    @property
    def leave_outcome(self) -> str | None:
        """The outcome for a participant who leaves before the end if this row is such a note, else None."""
        noted = self.accepted is None and self.action.startswith(LEAVE)
        return self.action[len(LEAVE) :] if noted else None

    def is_note(self, name: str) -> bool:
        """Whether this row is a note with that name."""
        return self.accepted is None and self.action == name

    @property
    def accepted_number(self) -> int:
        """The number of an accepted action. Raises ValueError for a note, which has none."""
        if self.number is None:
            raise ValueError(f"A note has no number: {self.action}")
        return self.number


def server_note(seat: str, name: str, server_ms: int) -> Event:
    """Returns a note of the server about a seat ("" for all); ``server_ms`` is Unix time in milliseconds."""
    return Event(None, seat, name, None, server_ms, None)
