"""The settings that all games share, and the settings that all multiplayer games share.

See ``cardlab.games.setting``.
"""

import re
import string
from typing import Any
from urllib.parse import urlsplit

from cardlab.games.browser_events import MAX_HZ
from cardlab.games.setting import (
    ADVANCED,
    DESIGN,
    DISPLAY,
    GROUPS,
    MONEY,
    ONLINE,
    PAY,
    SWITCH,
    TIME,
    Money,
    Setting,
    Settings,
    Text,
    file_name,
    number,
    one_of,
    whole_number,
)

DRAWN = "drawn"  # instead of a seed: one is drawn when the session is created
OFF = "off"  # instead of a text: there is none
REQUIRED, FREE = "required", "free"  # whether the steps of the instructions must be completed
LEAVE = "leave"  # what a participant without a partner does
PAID, UNPAID = "paid", "unpaid"  # how a participant leaves the study
FIXED, ON_ARRIVAL = "fixed", "on_arrival"  # when the slots of a session are made
TELL, REFUSE = "tell", "refuse"  # what happens when a seat is opened in a second tab
DRAWN_SECONDS = 180  # default time to wait for drawn partners
MAX_SEED_LENGTH = 100
MAX_URL_LENGTH = 1000
CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")
NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,39}"
STUDY = re.compile(NAME)
_ONE_END = "a session has one end"


def _seed_problem(seed: Any) -> str | None:
    if type(seed) in (int, str) and 0 < len(str(seed)) <= MAX_SEED_LENGTH and str(seed).isprintable():
        return None
    return f"must be the word {DRAWN}, or a text or whole number of at most {MAX_SEED_LENGTH} characters"


def _code_problem(code: Any) -> str | None:
    if isinstance(code, str) and CODE.fullmatch(code):
        return None
    return f"must be {OFF}, or a code of letters, digits and . _ -"


def _url_problem(url: Any) -> str | None:
    if url == OFF:
        return None
    if not isinstance(url, str) or len(url) > MAX_URL_LENGTH or not re.fullmatch(r"[!-~]+", url):
        return f"must be {OFF} or an address of at most {MAX_URL_LENGTH} characters, without blanks"
    try:
        parts = [*string.Formatter().parse(url)]
        split = urlsplit(url)
        host = split.hostname
    except ValueError:
        return "must be an address; braces are allowed only as {label} and {code}"
    if any(
        name is not None and (name not in ("label", "code") or form or how) for _t, name, form, how in parts
    ):
        return "may have {label} and {code} to be filled in, and no other braces"
    if split.scheme not in ("http", "https") or not host or re.search(r'["<>\\`{}]', split.netloc):
        return "must begin with https:// (or http://) and a server's name"
    return None


def _study_problem(study: Any) -> str | None:
    if isinstance(study, str) and STUDY.fullmatch(study):
        return None
    return f"must be {OFF}, or a name of at most 40 letters, digits, _ and -"


def _studies_problem(studies: Any) -> str | None:
    if isinstance(studies, str) and all(STUDY.fullmatch(study.strip()) for study in studies.split(",")):
        return None
    return f"must be {OFF}, or names of studies, separated by commas"


def _study_treatments_problem(treatments: Any) -> str | None:
    if treatments == OFF or (
        isinstance(treatments, str)
        and all(re.fullmatch(f"{NAME}/{NAME}", name.strip()) for name in treatments.split(","))
    ):
        return None
    return f"must be {OFF}, or treatments such as pilot/control (study/treatment), separated by commas"


_CODES = Text(f"{OFF} or a code", check=_code_problem)
_ONE_PART = "a participant takes part in the whole session"

SHARED: Settings = {
    "participation_fee": Setting(
        *(5.00, PAY, "Participation fee", Money("a number, 0 or more", "number")),
        "Paid to every participant who finishes, in addition to earnings.",
        unit=MONEY,
        session_wide="it is paid once for the whole session",
    ),
    "real_world_currency_per_point": Setting(
        *(0.0005, PAY, "Money per point", Money("a number, 0 or more", "number")),
        "What one point is worth in money.",
        unit=MONEY,
        session_wide="a point is worth the same in the whole session: set payoff_rate and payoff_base of the "
        "app, which say what a score is in points",
    ),
    "payoff_base": Setting(
        *(0.0, PAY, "Base points per hand", number()),
        "Points that every paid hand earns.",
        unit="points",
    ),
    "payoff_rate": Setting(
        1.0, PAY, "Points per score point", number(), "Points earned per point of the score."
    ),
    "payoff_floor": Setting(
        *(0.0, PAY, "Minimum points per hand", number()),
        "A paid hand earns at least this: max(payoff_floor, payoff_base + payoff_rate × score).",
        unit="points",
    ),
    "pay_hands": Setting(
        "all",
        PAY,
        "Hands that are paid",
        one_of(all="every hand except practice", one="one hand, drawn for each participant"),
        "With `one`, participants learn at the end which hand was drawn. `one` excludes new partners "
        "(`rematched`, `mixed`) unless `no_shows` is `robot`: a participant might sit out the drawn hand.",
    ),
    "pay_rounding": Setting(
        0.01,
        PAY,
        "Round payment to",
        number("a number from 0.01 to 1000 with at most two decimals", 0.01, maximum=1000, step=0.01),
        "The total is rounded to a multiple of this amount, for example 0.1, 0.5 or 1. Halves are rounded "
        "up.",
        unit=MONEY,
        session_wide="what is paid is rounded once, at the end",
    ),
    "show_earnings": Setting(
        *(True, PAY, "Show earnings at the end", SWITCH),
        "Participants see at the end what they have earned; if off, only scores.",
        session_wide="earnings are shown in the whole session or nowhere",
    ),
    "earnings_so_far": Setting(
        *(False, PAY, "Button for earnings so far", SWITCH),
        "A button on each hand's page shows what was earned before this hand. The data record each use. "
        "It requires `show_earnings`.",
    ),
    "purse": Setting(
        *(False, PAY, "Purse", SWITCH),
        "Each hand's page shows the earnings so far, without the fee. It requires `show_earnings` and "
        "`pay_hands` `all`.",
    ),
    "treatments": Setting(
        *("", DESIGN, "Treatment file", file_name("treatments/")),
        "The file that says what differs between participants. Empty or `off`: no treatments.",
        session_wide="participants have one treatment for the whole session",
    ),
    "tutorial": Setting(
        REQUIRED,
        DESIGN,
        "Instructions",
        one_of(required="each step must be completed", free="steps may be skipped"),
        "Participants try each step of the instructions on a board. The data record attempts and times.",
    ),
    "check": Setting(
        *(True, DESIGN, "Comprehension check", SWITCH),
        "Asks four to six questions after the instructions. A wrong answer is explained, and another "
        "question on the same point follows. The data record each attempt.",
    ),
    "time_limit_seconds": Setting(
        *(0, TIME, "Time limit per hand", number("a number, 0 or more", 0)),
        "Ends each hand, including practice; 0 is no limit. The clock runs on while no browser is open. "
        "The outcome is `timeout`.",
        unit="seconds",
    ),
    "feedback": Setting(
        *(True, DISPLAY, "Score after each hand", SWITCH),
        "Shows the score after each hand until the participant continues. If off, the next page follows "
        "after a moment.",
    ),
    "light_up": Setting(
        *(False, DISPLAY, "Highlight possible places", SWITCH),
        "Picking up a card highlights where it may be dropped by the rules, whatever hidden cards allow. "
        "Leave it off where participants should find out themselves.",
    ),
    "rules_at_hand": Setting(
        *(True, DISPLAY, "Button for the rules", SWITCH),
        "A button on each hand's page opens the rules. The data record each use.",
    ),
    "study_progress": Setting(
        *(True, DISPLAY, "Progress through the study", SWITCH),
        "Pages of games show the share done and roughly the minutes of play left. This may change behaviour.",
    ),
    "begin_signal": Setting(
        "title",
        DISPLAY,
        "Signal after waiting",
        one_of(
            title="a mark in the title of the browser window",
            sound="soft tones and the title",
            none="no signal",
        ),
        "Tells participants who waited that their game begins, and those in another window that it is "
        "their turn. `sound` also marks each turn and success. Browsers may block sound before the first "
        "click.",
    ),
    "theme": Setting(
        "light",
        DISPLAY,
        "Colours of the pages",
        one_of(light="light", dark="dark", system="as each participant's device is set"),
        "With `system` pages differ between participants. Boards and cards never do.",
        session_wide="all pages of a session look alike",
    ),
    "four_colours": Setting(
        *(False, DISPLAY, "Suits in four colours", SWITCH),
        "French cards have green clubs and blue diamonds, except where red and black matter.",
        session_wide="cards look the same in the whole session",
    ),
    "language_choice": Setting(
        *(False, DISPLAY, "Choice of language", SWITCH),
        "A button on each participant's first page offers the languages of `_locale/`. `?language=it` in a "
        "link works without it.",
        session_wide="pages of a session have one language for each participant",
    ),
    "slots": Setting(
        FIXED,
        ONLINE,
        "Slots",
        one_of(
            fixed="made with the session; partners are drawn among them",
            on_arrival="made when somebody opens the link; partners are those who are ready first",
        ),
        "With `on_arrival`, the number of participants is the most that can take part. Treatments and "
        "partners follow from the seed and the order of arrival.",
        session_wide="a session has one list of slots",
    ),
    "lost_after_minutes": Setting(
        *(2, ONLINE, "Lost after", number("a number, 0 or more", 0, maximum=1e6)),
        "With `slots` `on_arrival`, the treatment of a participant who has not finished and has been "
        "disconnected this long goes to the next visitor; 0 is never.",
        unit="minutes",
        session_wide="a session has one list of slots",
    ),
    "study": Setting(
        *(OFF, ONLINE, "Study", Text(f"{OFF} or a name", check=_study_problem)),
        "The name of the study to which this session belongs. Treatments are balanced over its sessions. The "
        "labels of its participants are kept as hashes, also after a session is deleted.",
        session_wide=_ONE_PART,
    ),
    "exclude_studies": Setting(
        *(OFF, ONLINE, "Exclude studies", Text(f"{OFF} or names", check=_studies_problem)),
        "Keeps out labels that took part in these studies (names separated by commas), or earlier in this "
        "one if it is named. They use no slot, except at a start link of their own. Without a label, nobody "
        "is kept out.",
        session_wide=_ONE_PART,
    ),
    "exclude_treatments": Setting(
        *(OFF, ONLINE, "Exclude treatments", Text(f"{OFF} or names", check=_study_treatments_problem)),
        "Keeps out labels that had one of these treatments, such as `pilot/control` (study/treatment).",
        session_wide=_ONE_PART,
    ),
    "continues": Setting(
        *(OFF, ONLINE, "Continues study", Text(f"{OFF} or a name", check=_study_problem)),
        "Only labels that took part in this study are let in. They keep its treatment, if the treatment file "
        "has one of that name.",
        session_wide=_ONE_PART,
    ),
    "continues_after_hours": Setting(
        *(0, ONLINE, "Continues after", number("a number, 0 or more", 0, maximum=1e4)),
        "With `continues`: labels are let in this many hours after they began that study. Before, a page "
        "tells them when to return.",
        session_wide=_ONE_PART,
    ),
    "leave_button": Setting(
        OFF,
        ONLINE,
        "Button to leave the study",
        one_of(
            off="no button",
            paid="a button; what was earned so far and the fee are paid",
            unpaid="a button; nothing is paid",
        ),
        "A button on each page ends the study for the participant, after a confirmation. Partners "
        "continue as after a dropout.",
        session_wide="a participant leaves the whole session",
    ),
    "withdraw_button": Setting(
        *(False, ONLINE, "Button to remove one's data", SWITCH),
        "A button on the last page removes all data of the participant, after a confirmation. They are "
        "still paid.",
        session_wide=_ONE_END,
    ),
    "help_button": Setting(
        *(False, ONLINE, "Button to ask for help", SWITCH),
        "A button on each page sends one line to **Progress**, where you answer it. Use it only if "
        "somebody watches the session.",
        session_wide="help is offered in the whole session or nowhere",
    ),
    "browser_events": Setting(
        *(True, ONLINE, "Record browser events", SWITCH),
        "Records lost focus, hidden pages, sizes, kind of input, families of browser and system, language "
        "and connection. Say so in your consent text.",
        session_wide="what is recorded is the same for all participants",
    ),
    "pointer_path_hz": Setting(
        *(0, ONLINE, "Record the pointer's path", whole_number(0, MAX_HZ)),
        "How often a second the pointer's place on the board is recorded; 0: never. Needs `browser_events`.",
        unit="times a second",
        session_wide="what is recorded is the same for all participants",
    ),
    "completion_url": Setting(
        OFF,
        ONLINE,
        "Completion link",
        Text(f"{OFF} or an address", check=_url_problem),
        "The last page links to this address. `{label}` and `{code}` are filled in.",
        session_wide=_ONE_END,
    ),
    "completion_code": Setting(
        *(OFF, ONLINE, "Completion code", _CODES),
        "The code on the last page and in the completion link. Codes have letters, digits and . _ -.",
        session_wide=_ONE_END,
    ),
    "refused_code": Setting(
        *(OFF, ONLINE, "Code without consent", _CODES),
        "The code for participants who do not agree to take part.",
        session_wide=_ONE_END,
    ),
    "left_code": Setting(
        *(OFF, ONLINE, "Code after leaving", _CODES),
        "The code for participants who leave with the button. Without one, they get the completion code "
        "if they are paid, else the code without consent.",
        session_wide=_ONE_END,
    ),
    "waiting_code": Setting(
        *(OFF, ONLINE, "Code after waiting", _CODES),
        "The code for a participant who leaves without finding a partner (`no_shows` `leave`).",
        session_wide=_ONE_END,
    ),
    "waiting_fee_per_minute": Setting(
        *(0.0, PAY, "Pay for waiting", Money("a number, 0 or more", "number")),
        "Paid for each minute on the waiting page to a participant who leaves without finding a partner, "
        "instead of the participation fee.",
        unit=MONEY,
        session_wide="it is paid once for the whole session",
    ),
    "screened_out_code": Setting(
        *(OFF, ONLINE, "Code after screening out", _CODES),
        "The code for participants whom your app screens out.",
        session_wide=_ONE_END,
    ),
    "late_code": Setting(
        *(OFF, ONLINE, "Code for late arrivals", _CODES),
        "The code for late arrivals.",
        session_wide=_ONE_END,
    ),
    "excluded_code": Setting(
        *(OFF, ONLINE, "Code for excluded labels", _CODES),
        "The code for participants whom `exclude_studies`, `exclude_treatments` or `continues` keeps out.",
        session_wide=_ONE_END,
    ),
    "late_after_minutes": Setting(
        *(0, ONLINE, "Close the session after", number("a number, 0 or more", 0, maximum=1e6)),
        "Nobody new can enter this long after the first participant; 0 is no limit.",
        unit="minutes",
        session_wide=_ONE_END,
    ),
    "one_browser_per_seat": Setting(
        *(True, ADVANCED, "One browser per seat", SWITCH),
        "A seat belongs to the browser that first opened it, until that has been disconnected for 30 "
        "seconds (with several participants: `gone_after_seconds`), or you press **Allow another "
        "browser** in the tab Progress. If off, everybody with the link may open the seat.",
        session_wide="a seat is the same in the whole session",
    ),
    "second_tab": Setting(
        TELL,
        ADVANCED,
        "Second tab at a seat",
        one_of(tell="warns, then lets the person play there", refuse="refuses until the first tab is closed"),
        "What a second tab of the same browser does. The data record it.",
    ),
    "seed": Setting(
        DRAWN,
        ADVANCED,
        "Seed",
        Text(
            f"{DRAWN}, or at most {MAX_SEED_LENGTH} characters",
            check=_seed_problem,
        ),
        "Decides everything random: deals, matching, robots, the paid hand. `drawn` draws a long seed, "
        "which the session's comment names. The same seed repeats a session. Anyone who guesses a short "
        "seed or a date knows the deals.",
        session_wide="one seed draws everything in a session",
    ),
}

GROUP: Settings = {
    "no_shows": Setting(
        "leave_out",
        GROUPS,
        "Participants without a partner",
        one_of(
            leave_out="sit out until they have a partner",
            robot="play with a robot or the computer",
            leave="leave the study, with `waiting_code` and pay for waiting",
        ),
        "For a participant without a partner: once nobody else is on the way, and after `gather_seconds` in "
        "any case.",
    ),
    "same_partner": Setting(
        *(False, GROUPS, "Same partner", SWITCH),
        "With `continues`: participants play only with the partners of their last group in that study. "
        "`no_shows` applies to those without such a partner.",
    ),
    "gather_seconds": Setting(
        600,
        GROUPS,
        "Longest wait",
        number("a number, 0 or more", 0, maximum=1e6),
        "Nobody waits longer for a group; 0 is no limit.",
        unit="seconds",
    ),
    "drawn_seconds": Setting(
        DRAWN_SECONDS,
        GROUPS,
        "Wait for the drawn partners",
        number("a number, 0 or more", 0, maximum=1e6),
        "Then others who are ready take the place of partners drawn among fixed slots; 0 is never.",
        unit="seconds",
    ),
    "gone_after_seconds": Setting(
        *(30, GROUPS, "Gone after", number("a number, 1 or more", 1, maximum=1e6)),
        "On the waiting page, nobody waits for a participant who has been disconnected this long.",
        unit="seconds",
    ),
    "turn_limit_seconds": Setting(
        *(0, TIME, "Time limit per turn", number("a number, 0 or more", 0, maximum=1e6)),
        "When time is up, the server moves for the participant; 0 is no limit.",
        unit="seconds",
    ),
    "absent_after": Setting(
        *(2, TIME, "Missed turns before absent", whole_number(0, 99)),
        "After this many missed limits in a row, the server plays for a disconnected participant after a "
        "second, until they return. 0 waits each time.",
        unit="turns",
    ),
    "partner_away_seconds": Setting(
        *(60, GROUPS, "Offer a choice after", number("a number, 0 or more", 0, maximum=1e6)),
        "When a partner has been disconnected this long, the other may wait, let the server play, or stop "
        "and be paid; 0 never offers this.",
        unit="seconds",
    ),
}

# The settings with one value for the whole session, with the message if a config sets them for one app.
SESSION_WIDE = {
    key: setting.session_wide if "set " in setting.session_wide else f"{setting.session_wide}: set {key}"
    for key, setting in SHARED.items()
    if setting.session_wide
}
