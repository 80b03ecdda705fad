"""The columns and cells of the exported tables. The server and the analysis both write tables with them.

A test compares the meanings of the columns with docs/reference/data-dictionary.md. Times are UTC with
milliseconds, ``2026-11-20T14:03:07.412Z``.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta, timezone
from typing import Any

from cardlab import row_chain
from cardlab.games.columns import (
    GuardedIdentifier,
    GuardedText,
    GuardedTimedText,
    IdentifyingJson,
    Integer,
    Json,
    Number,
    TimedJson,
    Timestamp,
    YesNo,
)
from cardlab.games.events import Event
from cardlab.games.record import Opening, compact_json

PARTICIPANT_ID_COLUMNS = {
    "session_code": "oTree's code of the session",
    "is_demo": YesNo("1 for a demo session, else 0"),
    "session_created_utc": Timestamp("when the session was created, time zero of the ck and nk logs"),
    "participant_code": "oTree's code of the participant; empty for a robot and for rows of several seats",
    "participant_label": GuardedIdentifier("the label from the room or the link"),
    "is_bot": YesNo("1 for oTree's bots, else 0"),
    "treatment": "the participant's treatment, or that of the group; empty if the session has none",
}

HAND_IDENTITY_COLUMNS = {
    "app": "the app of the hand",
    "hand": Integer("number of the hand in the app, including practice"),
    "hand_id": ("unique across sessions and servers: app, session, participant or group, oTree's round"),
    "seat": "the seat in the hand; `solo` in games for one",
}

# The last columns of the table of hands. Tables of the parts of hands have only the last one.
RECORD_END_COLUMNS = {
    "record_lines": Integer("number of lines of the hand's record when it was exported"),
    "record_digest": "digest of all these lines",
}
DIGEST_COLUMN = {row_chain.COLUMN: "digest of this row and of the hand's earlier rows in this table"}

ACTION_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "action_number": Integer(
        "0 for the deal, then 1, 2 …; for a refused action the number that it asked for; empty for a note"
    ),
    "action": GuardedText("the deal, an action of the game, a note, or the end"),
    "accepted": YesNo("1 accepted, 0 refused, empty for a note"),
    "reason": GuardedText("for a refused action the sentence that the participant read, always in English"),
    "client_ms": Integer(
        "milliseconds since the hand was first shown, by the participant's clock; empty "
        "for actions of the server"
    ),
    "server_time_utc": Timestamp("when the server wrote the row"),
    "shown_utc": Timestamp("deal row only: when the hand was first shown; empty if it never was"),
    "practice": YesNo("deal row only: 1 for a practice hand, else 0"),
    "settings": Json("deal row only: the settings in use, as JSON"),
    "show_file": "deal row only: the file with the deal",
    "show_file_sha256": "deal row only: SHA-256 of that file",
    "notice": "deal row only: a warning about that file",
    "card_lab_version": "deal row only: the version of Card Lab that dealt the hand",
    "id_in_session": Integer("deal row only: oTree's number of the participant"),
    "hands": Integer("deal row only: number of hands in the session, including practice"),
    **{name: type(meaning)(f"deal row only: {meaning}") for name, meaning in RECORD_END_COLUMNS.items()},
    **DIGEST_COLUMN,
}

HAND_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    **HAND_IDENTITY_COLUMNS,
    "practice": YesNo("1 for a practice hand, else 0"),
    "deal": "the deal, one line (ruling 0)",
    "sequence": "the moves, without looks and pick-ups",
    "outcome": "one of the outcomes; `open` if the hand is not over",
    "score": Integer("points by the rules of the game"),
    "best_earlier_score": Integer(
        "the participant's best score in earlier hands of the app, without practice; empty in the first"
    ),
    "paid": YesNo("1 if the hand counts for pay, else 0"),
    "payoff": Number("points earned: max(floor, base + rate × score) if the hand is paid and over, else 0"),
    "shown_utc": Timestamp("when the hand was first shown; empty if it never was"),
    "ended_utc": Timestamp("when it ended; empty while open"),
    "seconds": Number("from first shown to the end, by the server's clock; empty while open"),
    "actions": Integer("accepted actions of the seat between deal and end, including looks and pick-ups"),
    "refused": Integer("refused actions of the seat"),
    "reconnects": Integer("number of times that its page was loaded or connected again"),
    "settings": Json("the settings in use, as JSON"),
    "show_file": "the file with the deal",
    "show_file_sha256": "SHA-256 of that file",
    "notice": "a warning about that file",
    "card_lab_version": "the version of Card Lab that dealt the hand",
}

PART_COLUMNS = {
    name: {**PARTICIPANT_ID_COLUMNS, **HAND_IDENTITY_COLUMNS}[name]
    for name in ("session_code", "is_demo", "session_created_utc", "treatment", "app", "hand", "hand_id")
}

PARTICIPANT_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "app": "the app of the game",
    "came_utc": Timestamp("when the participant opened the start link"),
    "instructions_done_utc": Timestamp(
        "when they completed the instructions; empty if the researcher moved them on"
    ),
    "check_done_utc": Timestamp("when they passed the comprehension check"),
    "check_attempts": Integer("attempts at the check"),
    "check_answers": GuardedTimedText("every attempt as JSON: Unix time in milliseconds, answers"),
    "first_hand_shown_utc": Timestamp("when their first hand was shown"),
    "last_hand_ended_utc": Timestamp("when their latest hand ended"),
    "results_shown_utc": Timestamp("when they reached the results"),
    "hands_over": Integer("hands that are over, without practice"),
    "hands_played_out": Integer(
        "`hands_over` with the outcome `solved`, `completed`, `won`, `lost` or `drawn`"
    ),
    "score": Integer("sum of the scores of `hands_over`"),
    "payoff": Number("points earned in the app"),
    "payoff_money": Number("`payoff` in money"),
    "earnings_total": Number(
        "payment for the whole session, including the participation fee; 0 after an unpaid early end or "
        "no-show"
    ),
    "ended_early": "`refused`, `screened out`, `late`, `excluded`, `left` or `no partner`; else empty",
    "link_parameters": IdentifyingJson(
        "Prolific's parameters of the link, as JSON; empty if there were none"
    ),
    "language": "the participant's language, such as `it`; empty: that of the server",
}

TUTORIAL_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "app": "the app of the game",
    "step": "name of the completed step",
    "done_utc": Timestamp("when it was completed"),
    "seconds": Number("seconds since the previous step"),
    "tries": Integer("moves tried on the board meanwhile, including refused ones"),
    "refused": Integer("refused moves among them"),
}

PAYMENT_COLUMNS = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "participant_code", "participant_label", "treatment")
    },
    "status": (
        "`finished`, `not finished`, `dropped out` (`total` is what they would be paid), "
        "`left`, `no partner`, `withdrawn` (until they are paid, with `total` only), or `refused`, "
        "`screened out`, `late`, `excluded` (no pay)"
    ),
    "participation_fee": Number("the participation fee in money"),
    "APP_points": Number(
        "points earned in an app, such as `ttt_solo_app_points`; one column per app that pays"
    ),
    "APP_money": Number("`APP_points` in money, such as `ttt_solo_app_money`"),
    "other": Number("pay for waiting, rounding, and points from a program"),
    "total": Number("the payment, rounded as `pay_rounding` says"),
}


def payment_columns(apps: Iterable[str]) -> dict[str, str]:
    """Returns the columns of a table of payments in which these apps pay."""
    columns: dict[str, str] = {}
    for name, meaning in PAYMENT_COLUMNS.items():
        if name == "APP_points":
            for app in apps:
                columns |= {
                    f"{app}_{suffix}": PAYMENT_COLUMNS[f"APP_{suffix}"] for suffix in ("points", "money")
                }
        elif name != "APP_money":
            columns[name] = meaning
    return columns


NOTICE_COLUMNS = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "participant_code", "participant_label", "treatment")
    },
    "what": (
        "`message`, `pause`, `dropped out`, `advanced`, `stopped`, `ended` (**End now**), `seat released` "
        "(another browser can take the seat), `new browser` (one did), `help` (the participant asks), "
        "`answer` or `withdrew` (somebody; it does not say who)"
    ),
    "text": GuardedIdentifier(
        "the message, request or answer (empty: closed without one); for `stopped` the app; for `ended` "
        "`results` or `end`; `by a co-player` if a co-player marked the dropout"
    ),
    "began_utc": Timestamp("when it began"),
    "over_utc": Timestamp(
        "when it ended, the message was confirmed, or the request answered (`answer` begins then) or "
        "withdrawn; empty while it continues"
    ),
}

BROWSER_EVENT_COLUMNS = {
    **{
        name: PARTICIPANT_ID_COLUMNS[name]
        for name in ("session_code", "participant_code", "participant_label", "treatment")
    },
    "app": "the app of the page",
    "page": "the page, such as `Hand`; empty on wait pages",
    "hand": HAND_IDENTITY_COLUMNS["hand"],
    "hand_id": HAND_IDENTITY_COLUMNS["hand_id"],
    "tab": "a loaded document; a reload begins another",
    "event_number": Integer("counts the events of a tab"),
    "event": "see below",
    "client_time_utc": Timestamp("when it happened, by the participant's clock"),
    "server_time_utc": Timestamp("the same by the server's clock"),
    "details": TimedJson("see below"),
}

# The columns of Card Lab's apps that are not games.
CONSENT_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "agreed": YesNo("1 agreed, 0 refused; empty without an answer"),
    "answered_utc": Timestamp("when they answered"),
    "consent_text": "the template of the text that they read, in `consent_app/`",
}

ANSWER_COLUMNS = {
    **PARTICIPANT_ID_COLUMNS,
    "answered_utc": Timestamp("when they sent their answers"),
    "age": Integer("in years"),
    "gender": "`female`, `male`, `own` (see the next column) or `unsaid`",
    "gender_own": GuardedIdentifier("the participant's own words"),
    "field_of_study": GuardedIdentifier("the participant's own words"),
    "difficulty": Integer("difficulty from 1 (very easy) to 7 (very difficult)"),
    "strategy": GuardedIdentifier("the participant's own words; line breaks are spaces"),
}

# The number of columns that only the deal row of a hand fills.
_ON_DEAL_ROWS = [*ACTION_COLUMNS].index(row_chain.COLUMN) - [*ACTION_COLUMNS].index("shown_utc")

UNREADABLE = "unreadable"  # replaces the actions of a hand whose record is damaged

_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)

# A spreadsheet would run a cell that begins like this as a formula. Readers remove the apostrophe.
_FORMULA = ("=", "+", "-", "@", "\t", "'")


def guard_formula(text: str | None) -> str:
    """Returns untrusted text, with an apostrophe in front if a spreadsheet would run it as a formula."""
    text = text or ""
    return f"'{text}" if text.startswith(_FORMULA) else text


def format_utc(ms: float | None) -> str:
    """Formats Unix milliseconds as ``2026-11-20T14:03:07.412Z``; returns "" for None."""
    if ms is None:
        return ""
    moment = _EPOCH + timedelta(milliseconds=ms)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def unguard(text: str) -> str:
    """Returns the text without the apostrophe that :func:`guard_formula` put in front."""
    return text.removeprefix("'")


def deal_cells(
    opening: Opening,
    shown_ms: int | None,
    id_in_session: int | str = "",
    record_end: tuple[int | str, str] = ("", ""),
) -> list[Any]:
    """Returns the cells of a hand's deal row in the table of actions, between identity and digest.

    ``shown_ms`` is when the hand was first shown, and ``id_in_session`` oTree's number of the participant who
    plays it alone. ``record_end`` is the number of lines of the record and their digest.
    """
    shown_utc = format_utc(shown_ms)
    return [
        *(0, f"deal {opening.deal}", 1, "", 0, shown_utc),
        *(shown_utc, int(opening.practice), compact_json(opening.options)),
        *(opening.source, opening.sha256, opening.notice, opening.version),
        *(id_in_session, opening.hands, *record_end),
    ]


def event_cells(event: Event) -> list[Any]:
    """Returns the same cells for the row of an event as :func:`deal_cells`. None is an empty cell."""
    return [
        event.number,
        guard_formula(event.action),
        None if event.accepted is None else int(event.accepted),
        guard_formula(event.reason),
        event.client_ms,
        format_utc(event.server_ms),
        *[""] * _ON_DEAL_ROWS,
    ]
