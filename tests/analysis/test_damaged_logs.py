"""Tests that damaged ck and nk logs give hands and warnings, or one error, but never a traceback."""

import contextlib
import io
import itertools
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from server_tables import CREATED_MS, DEAL, OPTIONS, Session, played, sessions

from cardlab.analysis import sources
from cardlab.analysis.cli import to_one_line
from cardlab.analysis.commands import main
from cardlab.analysis.games.ttt.commands import transform
from cardlab.games.cards import TTT_PACK
from cardlab.games.contract import BadFile
from cardlab.games.record import Opening
from cardlab.games.ttt import keeper_log

EXPORTS = ["custom_export_ck_log", "custom_export_nk_log"]
BOM = b"\xef\xbb\xbf"
logs_of = st.sampled_from(EXPORTS)
any_clock = st.integers(-2000, 5000)


def read(content):
    """Reads the bytes of one log."""
    return keeper_log.read((line.decode("utf-8-sig", "replace") for line in io.BytesIO(content)), "0.txt")


def log(session, export="custom_export_ck_log"):
    return session.export(export).encode()


PIECES = [
    *(b"", b"\n", b"\r", b"\r\n", b":", b";", b" ", b".", b"-", b"\0", b"\xff", b"\xe2\x82", b"\xef\xbb\xbf"),
    *(
        "\u2028".encode(),
        "\u0663".encode(),
        b"0",
        b"7",
        b"2H",
        b"4c",
        b"ck",
        b"NK",
        b"PM",
        b"PP",
        b"RM",
        b"GE",
    ),
    *(b"GC", b"HS", b":HS:", b"1.000:1.000:", b"0.000:Game begins", b"\n0.000:Game begins", b"xy", b"Color"),
    *(b"colorCardView", b"numberCardView", b"targetCardView", b"0.000:0.000:GS:;Game started;;\n"),
    *(b"9.000:9.000:GE:1;0:Hand Ended\n9.000::Hand Ended\n", b"5.000:5.000:PP::Pass sent;;;\n"),
    *(b"5.000:5.000:RP::Remote pass received;;;\n", b"5.000:5.000:ER:T;no:Number Keeper refused\n"),
    b"5.000:5.000:ER:T;no:Color Keeper refused\n",
]


CHANGES = [
    *[(b":GE:2;", b":GE:3;"), (b"00:Hand Ended", b"0x:Hand Ended"), (b"::Hand Ended", b"::hand end")],
    *[
        (b"Color Keeper", b"Number Keeper"),
        (b"Number Keeper", b"Color Keeper"),
        (b"MaxRounds=", b"MaxRounds=-"),
    ],
    *[(b"\n", b"\njunk\r\n"), (b"\n", b"\n\n"), (b"\n", b"\n" + 2 * BOM), (b"\r\n", b""), (b"\n", b" \n")],
    *[(b"\n", b"\n5.000:5.000:PP::Pass sent;;;\n"), (b"\n", b"\n5.000:5.000:RP::Remote pass received;;;\n")],
    *[(b"\n", b"\n0.000:Game begins\n"), (b"\n", b"\n0.000:0.000:GS:;Game started;;\n"), (b"HS:", b"HS:x")],
    *[
        (b":ck;", b":nk;"),
        (b";2H;", b";2h;"),
        (b"2C", b"3C"),
        (b".", b","),
        (b":userName ", b":userName a b"),
    ],
]
EVERYWHERE = [
    *[(b":", b";"), (b"\r\n", b"\n"), (b"\r\n", b"\r"), (b"\r\n", b"\n\n")],
    *[
        (b"0.000:G", b"0.0:g"),
        (b":HS:", b":hs:"),
        (b"Keeper", b" keeper"),
        (b":PM:", b":RM:"),
        (b":GE:", b"::"),
    ],
]


@st.composite
def damaged(draw, content):
    """Draws a log with a few changes, as by editors, other programs and power cuts, and stranger ones."""
    for change in draw(
        st.lists(st.sampled_from(["lines", "lines", "bytes", "words", "cut", "all"]), max_size=3)
    ):
        lines = content.splitlines(keepends=True) or [b""]
        at, to = sorted(draw(st.tuples(*[st.integers(0, len(lines) - 1)] * 2)))
        if change == "lines":
            some = lines[at : min(to, at + 3) + 1]
            moved = draw(st.sampled_from([[], some + some, some[::-1], [*some[1:], some[0]]]))
            lines[at : at + len(some)] = moved
            lines[to:to] = draw(st.sampled_from([[], some]))
            content = b"".join(lines)
        elif change == "bytes":
            at = draw(st.integers(0, len(content)))
            length = draw(st.integers(0, 3))
            content = content[:at] + draw(st.sampled_from(PIECES)) + content[at + length :]
        elif change == "words":
            old, new = draw(st.sampled_from(CHANGES))
            content = b"".join([*lines[:at], b"".join(lines[at:]).replace(old, new, 1)])
        elif change == "cut":
            at = draw(st.integers(0, len(content)))
            content = draw(st.sampled_from([content[:at], content[at:]]))
        else:
            old, new = draw(st.sampled_from(EVERYWHERE))
            content = content.replace(old, new)
    return content


@st.composite
def files(draw):
    """Draws up to three logs of a session: of both keepers or the same one twice, whole or damaged."""
    session = draw(sessions(any_clock))
    return [draw(damaged(log(session, draw(logs_of)))) for _ in range(draw(st.integers(1, 3)))]


def test_illegal_moves_of_a_log_are_kept():
    """With two cards swapped everywhere, the lines fit the board, but some exchanges break a rule."""
    content = log(session_of_everything())
    messages = []
    for one, other in itertools.combinations(TTT_PACK, 2):
        exchanged = content.replace(one.encode(), b"@").replace(other.encode(), one.encode())
        messages += read(exchanged.replace(b"@", other.encode())).warnings
    assert (
        sum(sentence.endswith("breaks the rule of the keeper whose turn it is.") for sentence in messages) > 5
    )


@given(files(), sessions(any_clock), st.booleans())
def test_command_writes_what_can_be_read(contents, session, with_table):
    if with_table:
        contents = [*contents, session.export().encode()]
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder) / f"{number}.txt" for number in range(len(contents))]
        for path, content in zip(paths, contents):
            path.write_bytes(content)
        messages = []

        def warn(sentence):
            messages.append(f"warning: {to_one_line(sentence)}")

        try:
            hands = sources.warn_at_end(
                sources.read_hands(paths, warn), warn, "the sequence is the current one"
            )
            lines = transform.lines(hands)
            expected = "".join(f"{line}\n" for line in lines)
        except BadFile as error:
            messages.append(f"error: {to_one_line(str(error))}")
            expected = None
        out = Path(folder) / "out" / "summary.txt"
        out.parent.mkdir()
        errors = io.StringIO()
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(errors):
            main(["transform", *map(str, paths), "-o", str(out)])
        assert errors.getvalue().splitlines() == messages
        assert (out.read_text(encoding="utf-8") if out.exists() else None) == expected


def session_of_everything(people=3):
    """Returns a session with every kind of log line; the last hand of the second participant is open."""
    opening = Opening(DEAL, OPTIONS, 1, 3, source="static.txt")
    start = CREATED_MS + 10_000
    hands = [
        ["Q", "look ck", "pick up", "T", "look ck", "pick nk", "x,y;z", "U", "P", "T"],
        ["look nk", "T", "pick ck", "look ck", "P", "T", "pick t", "N", "T", "C", "P", "P", "look nk", "U"],
        [],
    ]
    records = [
        [
            played(opening, actions, start + number * 100_000, end="gave_up")
            for number, actions in enumerate(hands[first:] + hands[:first])
        ]
        for first in range(people)
    ]
    records[1][2] = played(opening, ["C", "look nk"], start + 300_000)
    return Session(labels=["PC_01", None, "PC_03"][:people], records=records)


@pytest.mark.parametrize("line_end", [b"\r\n", b"\n"])
@pytest.mark.parametrize("export", EXPORTS)
def test_own_logs_are_read_without_warnings(export, line_end):
    content = log(session_of_everything(), export).replace(b"\r\n", line_end)
    kinds = {line.split(":")[2] for line in content.decode().splitlines() if line.count(":") > 2}
    assert kinds >= {"HS", "GC", "PM", "RM", "PP", "RP", "pR", "VC", "ER", "GE"}
    found = read(content)
    assert (len(found.hands), len(found.warnings)) == (9, 1)
    assert found.warnings[0].endswith(
        "Hand 3, dealt here, has no end: the log was cut off, or the hand is still open."
    )


def test_damaged_line_is_skipped_with_a_warning():
    content = log(session_of_everything())
    move = b":RM:2H;upCardView"
    assert content.count(move) == 2
    damaged = content.replace(move, b":RM:2H;upCard", 1)
    line = 1 + damaged[: damaged.index(b"upCard;")].count(b"\n")
    assert read(damaged).warnings[0].startswith(f"0.txt, line {line}: This line does not name a place")
