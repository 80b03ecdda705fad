"""What the tables that every game exports are made of: the server and the analysis write them alike.

Each column stands here with its meaning; docs/data-dictionary.md repeats them and a test holds the two
together. Times are UTC with milliseconds, ``2026-11-20T14:03:07.412Z``.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from cardlab.games.columns import GuardedText, Integer, Json, Number, Timestamp, YesNo
from cardlab.games.events import Event
from cardlab.games.record import Opening, compact_json

PARTICIPANT_ID_COLUMNS = {
    "session_code": "oTree's code of the session",
    "is_demo": YesNo("1 for a demo session, else 0"),
    "session_created_utc": Timestamp(
        "when the session was created; the zero of the clock in the ck and nk logs"
    ),
    "participant_code": "oTree's code of the participant; empty for a robot, and for what belongs to no one "
    "seat of several",
    "participant_label": GuardedText(
        "the label from the room or the link; a leading apostrophe guards a spreadsheet"
    ),
    "is_bot": YesNo("1 for oTree's bots, else 0"),
    "treatment": "the treatment of the participant, or of those at the table; empty if the session has none",
}

HAND_IDENTITY_COLUMNS = {
    "app": "the app the hand was played in",
    "hand": Integer("number of the hand in the app, practice hands included"),
    "hand_id": "unique across sessions and servers: app, session, participant (or the number of the group), "
    "oTree's round",
    "seat": "the seat in the hand (`solo` where one person plays)",
}

ACTION_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "action_number": Integer(
        "0 for the deal, then 1, 2 … for accepted rows; a refused row has the number it asked "
        "for (where several play, each seat counts for itself); empty for a note"
    ),
    "action": GuardedText(
        "`deal …` first, then the actions in the game's own grammar, notes such as `reconnect`, `end …` last"
    ),
    "accepted": YesNo("1 accepted, 0 refused, empty for a note of the server"),
    "reason": GuardedText(
        "for a refused action the sentence that the participant read, in English whatever they read it in"
    ),
    "client_ms": Integer(
        "milliseconds since the hand was first shown, by the participant's clock; empty for what "
        "the server did"
    ),
    "server_time_utc": Timestamp("when the server wrote the row"),
    "shown_utc": Timestamp("on the deal row: when the hand was first shown; empty if it never was"),
    "practice": YesNo("on the deal row: 1 for a practice hand, else 0"),
    "settings": Json("on the deal row: the settings in force, as JSON"),
    "show_file": "on the deal row: the file that the deal came from",
    "show_file_sha256": "on the deal row: SHA-256 of that file",
    "notice": "on the deal row: a warning about that file, empty if there is none",
    "card_lab_version": "on the deal row: the version of Card Lab that dealt the hand",
    "id_in_session": Integer(
        "on the deal row: oTree's number of the participant, as the ck and nk logs have it"
    ),
    "hands": Integer("on the deal row: how many hands the session has, practice included"),
}

HAND_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "practice": YesNo("1 for a practice hand, else 0"),
    "deal": "the deal, one line (docs/rulings.md, ruling 0)",
    "sequence": "the moves made, without looks and pick-ups",
    "outcome": "how the hand ended, one of the outcomes; `open` if it has not",
    "score": Integer("points for the hand by the game's rule"),
    "best_earlier_score": Integer(
        "the participant's best score in the earlier hands of the app, without practice; empty in the first"
    ),
    "paid": YesNo("1 if this hand counts for the earnings, else 0"),
    "payoff": Number(
        "points earned with it: max(floor, base + rate × score) if it is paid and over, else 0; booked "
        "to the participant in the transaction that ends the hand"
    ),
    "shown_utc": Timestamp("when the hand was first shown; empty if it never was"),
    "ended_utc": Timestamp("when it ended; empty while it is open"),
    "seconds": Number("from first shown to the end, by the server's clock; empty while it is open"),
    "actions": Integer("accepted rows of the seat between deal and end"),
    "refused": Integer("refused actions of the seat"),
    "reconnects": Integer("how often its page was loaded or connected again"),
    "settings": Json("the settings in force, as JSON"),
    "show_file": "the file that the deal came from",
    "show_file_sha256": "SHA-256 of that file",
    "notice": "a warning about that file, empty if there is none",
    "card_lab_version": "the version of Card Lab that dealt the hand",
}

PART_COLUMNS = {
    name: {**PARTICIPANT_ID_COLUMNS, **HAND_IDENTITY_COLUMNS}[name]
    for name in ("session_code", "is_demo", "session_created_utc", "treatment", "app", "hand", "hand_id")
}

PARTICIPANT_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "app": "the app",
    "came_utc": Timestamp("when the participant opened the start link"),
    "instructions_done_utc": Timestamp(
        "when they left the instructions; empty if the researcher moved them on"
    ),
    "check_done_utc": Timestamp(
        "when they passed the comprehension check; empty if there is none, or if they were moved on"
    ),
    "check_attempts": Integer("how often they sent the check in"),
    "check_answers": GuardedText("every attempt as JSON: Unix time in milliseconds, answers"),
    "first_hand_shown_utc": Timestamp("when their first hand was shown"),
    "last_hand_ended_utc": Timestamp("when their last hand so far ended"),
    "results_shown_utc": Timestamp("when they reached the results; empty if they have not"),
    "hands_over": Integer("hands that are over, without practice"),
    "hands_played_out": Integer(
        "those played to the end that the game aims at: outcome `solved` or `completed`"
    ),
    "score": Integer("sum of the scores of these hands"),
    "payoff": Number("points earned in the app, in all hands that are over"),
    "payoff_money": Number("these points in money"),
    "earnings_total": Number(
        "what is paid for the whole session, all apps together: points in money and the "
        "participation fee, rounded as the session says; 0 for who ended early or never came"
    ),
    "ended_early": "`refused`, `screened out` or `late` if the session has ended so for them; else empty",
}

TUTORIAL_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "app": "the app",
    "step": "name of a step of the instructions that was done; the last, which is only read, is done when it "
    "is shown",
    "done_utc": Timestamp("when it was done, as the page told the server"),
    "seconds": Number("since the step before was done, or the board to try was first shown"),
    "tries": Integer("what was tried on the board meanwhile: moves, refused ones too, without pick-ups"),
    "refused": Integer("those of them that were refused"),
}

PAYMENT_COLUMNS = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "participant_code", "participant_label", "treatment")
    },
    "status": "`finished`; `refused`, `screened out` or `late`, who are paid nothing; `not finished`, or "
    "`dropped out` if the researcher said so, whose `total` is what they would be paid",
    "participation_fee": Number("for taking part, in money"),
    "APP_points": Number(
        "points earned in an app, such as `ttt_solo_app_points`; a column for each that pays"
    ),
    "APP_money": Number("these points in money, such as `ttt_solo_app_money`, behind it"),
    "other": Number(
        "what the sum is more than fee and apps: by rounding, and by points that a program gave to the "
        "participant as a whole"
    ),
    "total": Number("what is paid, rounded as the session's `pay_rounding` says"),
}


def payment_columns(apps: Iterable[str]) -> dict[str, str]:
    """Returns the columns of a table of payments in which these apps pay."""
    columns: dict[str, str] = {}
    for name, meaning in PAYMENT_COLUMNS.items():
        if name == "APP_points":
            for app in apps:
                columns |= {f"{app}_{what}": PAYMENT_COLUMNS[f"APP_{what}"] for what in ("points", "money")}
        elif name != "APP_money":
            columns[name] = meaning
    return columns


NOTICE_COLUMNS = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "participant_code", "participant_label", "treatment")
    },
    "what": "`message`, `pause`, `dropped out`, `advanced` (by one page), `stopped`, `seat released` "
    "(another browser may take the seat over) or `new browser` (one has taken it over)",
    "text": GuardedText(
        "of a message; of `stopped` the app; `by a co-player` if not the researcher said `dropped out`; a "
        "leading apostrophe guards a spreadsheet"
    ),
    "began_utc": Timestamp("when the researcher said so, the co-player chose it, or the browser came"),
    "over_utc": Timestamp(
        "when the message was confirmed, the pause ended, the participant was back, a browser took the seat; "
        "empty while it stands"
    ),
}

# Of the apps of Card Lab that are no games.
CONSENT_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "agreed": YesNo(
        "1 who agreed to take part, 0 who did not; empty if they have not answered, or were moved on"
    ),
    "answered_utc": Timestamp("when they answered"),
    "consent_text": "the template with the text that they read, in `consent_app/`",
}

ANSWER_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "answered_utc": Timestamp("when they sent their answers; empty if they have not, or were moved on"),
    "age": Integer("in years"),
    "gender": "`female`, `male`, `own` (in words of their own, next column) or `unsaid`",
    "gender_own": GuardedText("these words; a leading apostrophe guards a spreadsheet"),
    "field_of_study": GuardedText("as they wrote it, guarded alike"),
    "difficulty": Integer("how difficult they found it, 1 (very easy) to 7 (very difficult)"),
    "strategy": GuardedText("how they went about it, in their words, guarded alike; line breaks are blanks"),
}

# The columns that only the deal row of a hand has.
_ON_DEAL_ROWS = len(ACTION_COLUMNS) - list(ACTION_COLUMNS).index("shown_utc")

UNREADABLE = "unreadable"  # stands for the actions of a hand whose record is damaged

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# A cell that begins so would be run as a formula by a spreadsheet; readers take the apostrophe off.
_FORMULA = ("=", "+", "-", "@", "\t", "'")


def guard_formula(text: str | None) -> str:
    """Returns text from outside with an apostrophe in front where a spreadsheet would run it."""
    text = text or ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def format_utc(ms: float | None) -> str:
    """Unix milliseconds as ``2026-11-20T14:03:07.412Z``; nothing for None."""
    if ms is None:
        return ""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unguard(text: str) -> str:
    """Returns the text without the apostrophe that :func:`guarded` put in front."""
    return text.removeprefix("'")


def deal_cells(opening: Opening, shown_ms: int | None, id_in_session: int | str = "") -> list[Any]:
    """Returns the deal row of a hand in the table of actions, after the columns of its identity.

    ``shown_ms`` is when the hand was first shown, and ``id_in_session`` oTree's number of the participant who
    plays it alone.
    """
    shown = format_utc(shown_ms)
    return [
        *(0, f"deal {opening.deal}", 1, "", 0, shown),
        *(shown, int(opening.practice), compact_json(opening.options)),
        *(opening.source, opening.sha256, opening.notice, opening.version),
        *(id_in_session, opening.hands),
    ]


def event_cells(event: Event) -> list[Any]:
    """Returns a further row of a hand there, after the same columns; None is an empty cell."""
    return [
        event.number,
        guard_formula(event.action),
        None if event.accepted is None else int(event.accepted),
        guard_formula(event.reason),
        event.client_ms,
        format_utc(event.server_ms),
        *[""] * _ON_DEAL_ROWS,
    ]
