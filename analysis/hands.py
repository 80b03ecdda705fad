"""The table of hands: one tidy row a hand, from tables of actions and from logs."""

from __future__ import annotations

import csv
from collections.abc import Iterable
from typing import Any, TextIO

from analysis import ttt
from analysis.actions_table import TableHand
from analysis.keeper_logs import LogHand
from games.ttt import measures

COLUMNS = {
    "session_code": "oTree's code of the session",
    "is_demo": "1 for a demo session, else 0",
    "session_created_utc": "when the session was created",
    "participant_code": "oTree's code of the participant; in a log of the original program the user's name",
    "participant_label": "the label from the room or the link, as it was given",
    "is_bot": "1 for oTree's bots, else 0",
    "app": "the app the hand was played in",
    "hand": "number of the hand in the app, practice hands included",
    "hand_id": "unique across sessions and servers",
    "practice": "1 for a practice hand, else 0",
    "deal": "layout, goal and first mover in one line",
    "sequence": "the moves made, without looks and pick-ups; empty for none",
    "outcome": "solved, failed (MaxRounds), gave_up, timeout, advanced (by the researcher) or open",
    "score": "points for the hand by the game's rule",
    "shown_utc": "when the hand was first shown; empty if it never was",
    "ended_utc": "when it ended; empty while it is open",
    "seconds": "from first shown to the end, by the server's clock; empty while it is open",
    "client_seconds": "from first shown to the end, by the clock of who ended it (participant or server)",
    "actions": "accepted actions: moves, looks and pick-ups",
    "refused": "refused actions",
    "reconnects": "how often the page was loaded or connected again",
    "settings": "the settings in force, as JSON; a log names those of the game alone",
    "show_file": "the file that the deal came from",
    "show_file_sha256": "SHA-256 of that file",
    "notice": "a warning about that file, empty if there is none",
    "card_lab_version": "the version of Card Lab that dealt the hand",
    **measures.COLUMNS,
    "source": "the file, or the ck and the nk file, that tells the hand",
}


def write(hands: Iterable[TableHand | LogHand], file: TextIO) -> int:
    """Write the table as CSV; the number of hands. What a source cannot tell is an empty cell."""
    rows = csv.DictWriter(file, list(COLUMNS), restval="", extrasaction="ignore", lineterminator="\n")
    rows.writeheader()
    written = 0
    for hand in hands:
        rows.writerow(row(hand))
        written += 1
    return written


def row(hand: TableHand | LogHand) -> dict[str, Any]:
    """One row by column; among the keys of a hand from a table are columns of that table too."""
    if isinstance(hand, LogHand):
        return {**ttt.logged_measures(hand), "source": "; ".join(dict.fromkeys(hand.files))}
    return {**hand.cells, "hand": hand.number, **ttt.measures(hand), "source": hand.file}
