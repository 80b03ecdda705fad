"""Tests tables with missing, duplicated or changed rows: nothing is misread, and omissions are reported."""

from __future__ import annotations

import contextlib
import csv
import io
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from harnesses import GAMES, Game
from performance_measures import measured_rows
from server_tables import small_session  # first: it keeps oTree off the project's database
from synthetic_actions import actions_csv
from test_hands_of_all_games import Played, act, at_table, exported

import matrix_game_app
from cardlab.analysis import sources
from cardlab.analysis.commands import main
from cardlab.analysis.report.data import gather_data
from cardlab.analysis.sources import MAX_NAMED, DamagePolicy
from cardlab.games.contract import BadFile
from cardlab.games.events import ARRIVE, DROPPED_OUT
from cardlab.games.matrix import rules as matrix

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "docs" / "example" / "actions.csv"

Row = dict[str, str]


@pytest.fixture(scope="module", autouse=True)
def few_repetitions():
    """Makes the random baseline play each hand once, because means are not tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("cardlab.analysis.baselines.MAX_REPETITIONS", 1)
        yield


def rows_of(text: str) -> list[Row]:
    return list(csv.DictReader(io.StringIO(text)))


def written(rows: list[Row], path: Path) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(rows[0]))
        table.writeheader()
        table.writerows(rows)
    return path


def read(*paths: Path) -> tuple[dict[tuple[str, str], Row], int]:
    """Returns every measure of every hand and seat, and the number of hands left out."""
    damage = DamagePolicy(lambda _sentence: None)
    rows_by_hand = {}
    with contextlib.suppress(BadFile):  # no hand is left
        for row in measured_rows(sources.read_hands(paths, lambda _sentence: None, damage=damage)):
            rows_by_hand[row["hand_id"], row["seat"]] = {**row, "source": ""}
    return rows_by_hand, damage.count_by_session.total()


def quality_of(path: Path) -> dict[str, int]:
    """Returns the quality table of the one session of a table."""
    damage = DamagePolicy(lambda _sentence: None)
    hands = sources.read_hands([path], lambda _sentence: None, damage=damage)
    (row,) = gather_data(hands, {}, damaged=damage.count_by_session).quality.to_dict("records")
    return row


def without(rows: dict[tuple[str, str], Row], hand_id: str) -> dict[tuple[str, str], Row]:
    return {key: row for key, row in rows.items() if key[0] != hand_id}


# ---------------------------------------------------------------- a row is missing


def simulated(path: Path, *arguments: str) -> list[Row]:
    assert main(["simulate", *arguments, "-o", str(path)]) == 0
    return rows_of(path.read_text("utf-8"))


def with_absences() -> list[Row]:
    """Returns a game in which the server plays for a no-show and for a player who leaves."""
    options = {"players": 2, "turn_limit_seconds": 30, "gather_seconds": 60}
    games = [at_table("S", **options), at_table("SW", **options)]
    for game in games:
        for _turn in range(4):
            game.wait(61)
            if "S" in matrix.waiting_for(game.hand.state):
                game.send_action("S", matrix.legal_actions(game.hand.state, "S")[0])
    games[1].leave("W")
    act(games[1], "S", 99)
    games[0].leave("S", "timeout")
    rounds = [[], *([Played(game.record, {"S": 1, "W": 2})] for game in games)]
    return rows_of(exported(matrix_game_app, rounds, "custom_export"))


def two_hands(game: Game) -> list[Row]:
    """Returns two successive hands of a game."""
    return rows_of(actions_csv(*(game.harness.replayed(number) for number in (1, 2))))


TABLES: dict[str, Callable[[Path], list[Row]]] = {
    **{name: lambda _path, game=game: two_hands(game) for name, game in GAMES.items()},
    "the example": lambda _path: rows_of(EXAMPLE.read_text("utf-8")),
    "matrix, four": lambda path: simulated(
        path, "matrix", "--participants", "4", "--hands", "1", "--set", "players=4"
    ),
    "matrix, absences": lambda _path: with_absences(),
    "ttt, given up and open": lambda _path: rows_of(small_session().export()),
}


def cannot_be_seen(rows: list[Row], place: int) -> bool:
    """Returns whether the missing row is undetectable: refusals and most notes have no number, and an open
    hand may have been exported a row earlier."""
    row, after = rows[place], rows[place + 1 :]
    if row["accepted"] != "1":
        return row["action"] not in ("arrive", "absent")
    later_rows = [other for other in after if other["hand_id"] == row["hand_id"] and other["accepted"] == "1"]
    later = [
        other
        for other in after
        if other["participant_code"] == row["participant_code"] and other["hand_id"] != row["hand_id"]
    ]
    return not later_rows and not later and row["action"] not in ("end solved", "end failed", "end completed")


@pytest.mark.parametrize("name", TABLES)
def test_missing_row_is_always_reported(tmp_path, name):
    """The hand is left out or keeps all its measures; other hands are unchanged."""
    rows = TABLES[name](tmp_path / "simulated.csv")
    whole, none = read(written(rows, tmp_path / "whole.csv"))
    assert whole
    assert none == 0
    places = range(len(rows))
    chosen = places if len(rows) < 60 else sorted(random.Random(name).sample(places, 24))
    unseen = 0
    for place in chosen:
        hand_id = rows[place]["hand_id"]
        remaining, damaged = read(written(rows[:place] + rows[place + 1 :], tmp_path / "less.csv"))
        assert without(remaining, hand_id) == without(whole, hand_id), rows[place]
        if cannot_be_seen(rows, place):
            unseen += 1
            continue
        same = remaining == whole
        gone = damaged == 1 and remaining == without(whole, hand_id)
        assert same or gone, rows[place]
    assert unseen <= len(chosen) / 5


# ---------------------------------------------------------------- messages about damage


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Provides the current folder."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(folder, capsys):
    """Runs a command; returns exit code and lines of stderr."""

    def run(*arguments) -> tuple[int, list[str]]:
        code = main([str(argument) for argument in arguments])
        return code, capsys.readouterr().err.splitlines()

    return run


def small() -> list[Row]:
    """Returns two participants with two hands each: solved, given up, failed, and still open."""
    return rows_of(small_session().export())


def at(rows: list[Row], action: str, hand: str = "1", who: int = 1) -> int:
    """Returns the index of the first row with this action of a participant's hand."""
    wanted = (f"s3ss10n0_{who}", hand, action)
    exported = [(row["participant_code"], row["hand"], row["action"]) for row in rows]
    return next(place for place, cells in enumerate(exported) if cells == wanted)


def less(action: str, **which) -> Callable[[list[Row]], None]:
    return lambda rows: rows.__delitem__(at(rows, action, **which))


def changed(action: str, column: str, text: str, **which) -> Callable[[list[Row]], None]:
    return lambda rows: rows[at(rows, action, **which)].__setitem__(column, text)


def last_move_and_number(rows: list[Row]) -> None:
    """Removes the last move and renumbers the end, which earlier versions accepted as `end solved`."""
    end = at(rows, "end solved")
    rows[end]["action_number"] = rows[end - 1]["action_number"]
    del rows[end - 1]


def doubled(action: str) -> Callable[[list[Row]], None]:
    return lambda rows: rows.insert(at(rows, action), dict(rows[at(rows, action)]))


def code_of_another(rows: list[Row]) -> None:
    for row in rows:
        if row["participant_code"] == "s3ss10n0_2" and row["hand"] == "1":
            row["participant_code"] = "s3ss10n0_1"


GAP = "The hand dealt here has row {} where row {} should be. Rows are missing, repeated or out of order."
SOLVED = "but according to the rules it is over: solved."
SPOILT = {
    "a gap": (less("T"), 2, GAP.format(3, 2)),
    "no deal": (less("deal 3H 2C 2H 4C 4H 3C | 2H | ck"), 2, sources.actions_table.NO_DEAL),
    "no last move": (
        last_move_and_number,
        2,
        "The hand dealt here ends with 'solved', but according to the rules it is not over.",
    ),
    "no end": (less("end solved"), 2, f"The hand dealt here has no row end, {SOLVED}"),
    "no end of a hand given up": (
        less("end gave_up", who=2),
        10,
        "The hand dealt here has no row end, although s3ss10n0_2 has since played hand 2.",
    ),
    "another end": (
        changed("end solved", "action", "end gave_up"),
        2,
        f"The hand dealt here ends with 'gave_up', {SOLVED}",
    ),
    "an end too early": (
        changed("end gave_up", "action", "end failed", who=2),
        10,
        "The hand dealt here ends with 'failed', but according to the rules it is not over.",
    ),
    "a row twice": (doubled("pick nk"), 2, GAP.format(3, 4)),
    "the deal twice": (doubled("deal 3H 2C 2H 4C 4H 3C | 2H | ck"), 2, GAP.format(0, 1)),
    "the end twice": (doubled("end solved"), 2, GAP.format(7, 8)),
    "an action that cannot be": (
        changed("U", "action", "X"),
        2,
        "Action 4 of the hand dealt here, X, is not allowed: Unknown move. The moves are U, C, N, T and P.",
    ),
    "a deal that cannot be": (
        changed("deal 3H 2C 2H 4C 4H 3C | 2H | ck", "action", "deal 3C 2C 2H 4C 4H 3C | 2H | ck"),
        2,
        "The layout must hold each of 2H 3H 4H 2C 3C 4C once, not '3C 2C 2H 4C 4H 3C'.",
    ),
    "a code in one row": (
        changed("U", "participant_code", "s3ss10n0_2"),
        2,
        "In the hand dealt here, rows of the same seat belong to 's3ss10n0_1' and to 's3ss10n0_2'.",
    ),
    "a code twice": (
        code_of_another,
        10,
        "Hand 1 of s3ss10n0_1 also appears in an earlier source, under another hand_id.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SPOILT)
def test_damaged_hand_is_left_out_and_named(run, folder, name):
    spoil, line, sentence = SPOILT[name]
    rows = small()
    whole, _none = read(written(rows, Path("actions.csv")))
    spoil(rows)
    written(rows, Path("spoilt.csv"))
    code, messages = run("hands", "spoilt.csv", "-o", "hands.csv")
    assert (code, messages[0]) == (0, f"warning: spoilt.csv, line {line}: {sentence} The hand was left out.")
    found, damaged = read(Path("spoilt.csv"))
    assert (damaged, len(found)) == (1, 3)
    assert all(whole[key] == row for key, row in found.items())
    before = sorted(folder.iterdir())
    code, messages = run("hands", "spoilt.csv", "--strict", "-o", "strict.csv")
    assert (code, messages) == (2, [f"error: spoilt.csv, line {line}: {sentence}"])
    assert sorted(folder.iterdir()) == before


ASKED = {
    "split": ["--out", "out"],
    "transform": ["-o", "out"],
    "hands": ["-o", "out"],
    "report": ["--out", "out", "--no-search"],
    "replay": ["--participant", "s3ss10n0_1", "-o", "out"],
}


@pytest.mark.parametrize("command", ASKED)
def test_every_command_leaves_out_damaged_hands(run, command, monkeypatch):
    # The data of the plots are compared instead of the plots, because drawing takes longest.
    monkeypatch.setattr(
        "cardlab.analysis.report.write.render_svg", lambda plot: f"<svg>{plot.arguments} {plot.options}</svg>"
    )
    rows = small()
    written(rows, Path("actions.csv"))
    last_move_and_number(rows)
    written(rows, Path("spoilt.csv"))
    written([row for row in rows if row["hand_id"] != rows[0]["hand_id"]], Path("without.csv"))
    outputs = []
    for name in ("spoilt.csv", "without.csv"):
        code, _messages = run(command, name, *ASKED[command])
        assert code == 0
        files = sorted(Path("out").iterdir()) if Path("out").is_dir() else [Path("out")]
        texts = {
            file.name: file.read_text("utf-8").replace(name, "")
            for file in files
            if file.name not in ("report.html", "supplement.qmd")  # they count the damaged hands
        }
        outputs.append({file: text for file, text in texts.items() if file != "quality.csv"})
    lines = [text.replace("line 8", "line 2").replace("line 16", "line 10") for text in outputs[0].values()]
    assert lines == [*outputs[1].values()] or command == "replay"
    assert run(command, "spoilt.csv", "--strict", *ASKED[command])[0] == 2


def test_best_leaves_out_damaged_hands(run):
    assert main(["simulate", "triangle", "--participants", "2", "--hands", "1", "-o", "made.csv"]) == 0
    rows = rows_of(Path("made.csv").read_text("utf-8"))
    del rows[3]
    written(rows, Path("spoilt.csv"))
    code, messages = run("best", "spoilt.csv", "--nodes", "1000", "-o", "best.csv")
    assert (code, len(messages)) == (0, 1)
    assert len(rows_of(Path("best.csv").read_text("utf-8"))) == 1
    assert run("best", "spoilt.csv", "--strict", "-o", "best.csv")[0] == 2


def test_quality_table_counts_damaged_hands(folder):
    rows = small()
    last_move_and_number(rows)
    del rows[at(rows, "deal 3H 2C 2H 4C 4H 3C | 2H | ck", who=2)]
    row = quality_of(written(rows, Path("spoilt.csv")))
    assert (row["hands"], row["damaged"]) == (2, 2)


def test_first_damaged_hands_are_named_others_counted(run):
    rows = rows_of(EXAMPLE.read_text("utf-8"))
    spoilt, number = [], 0
    for row in rows:
        number += row["action_number"] == "0"
        if row["action_number"] != "2" or number > MAX_NAMED + 3:
            spoilt.append(row)
    code, messages = run("hands", written(spoilt, Path("spoilt.csv")), "-o", "hands.csv")
    assert (code, len(messages)) == (0, MAX_NAMED + 1)
    assert messages[-1] == "warning: 3 more damaged hands were left out."


def test_nothing_is_written_if_all_hands_are_damaged(run, folder):
    rows = [row for row in small() if not row["action"].startswith("deal ")]
    written(rows, Path("spoilt.csv"))
    code, messages = run("hands", "spoilt.csv", "-o", "hands.csv")
    assert (code, messages[-1]) == (2, "error: spoilt.csv: All hands in this file are damaged.")
    assert not Path("hands.csv").exists()


@pytest.mark.parametrize("partner", [3, 2])
def test_participant_may_leave_while_others_play(run, partner):
    """The hand stays open for the player who remains, also if they have dropped out of a later hand."""
    table, after = at_table("SW", players=2), at_table("S", players=2)
    act(table, "SW", 5)
    table.leave("S")
    after.note("W", DROPPED_OUT if partner == 2 else ARRIVE)
    rounds = [[], [Played(table.record, {"S": 1, "W": 2})], [Played(after.record, {"S": 1, "W": partner})]]
    Path("actions.csv").write_text(exported(matrix_game_app, rounds, "custom_export"), "utf-8", newline="")
    _code, messages = run("hands", "actions.csv", "-o", "hands.csv")
    assert not any("left out" in sentence for sentence in messages)
    assert len(rows_of(Path("hands.csv").read_text("utf-8"))) == 4


# ---------------------------------------------------------------- duplicate hands


@pytest.mark.parametrize(
    ("column", "text"), [("action", "N"), ("client_ms", "2999"), ("seat", "duo"), ("accepted", "0")]
)
def test_conflicting_tables_of_a_hand_are_refused(run, folder, column, text):
    rows = small()
    written(rows, Path("one.csv"))
    rows[at(rows, "T")][column] = text
    written(rows, Path("other.csv"))
    before = sorted(folder.iterdir())
    code, messages = run("hands", "one.csv", "other.csv", "-o", "hands.csv")
    assert (code, messages) == (
        2,
        [
            "error: other.csv, line 2: The hand 'ttt_solo_app-s3ss10n0-s3ss10n0_1-1' differs from its "
            "version in one.csv, line 2: its deal, settings or actions are not the same. "
            "Remove the wrong version."
        ],
    )
    assert sorted(folder.iterdir()) == before


@pytest.mark.parametrize(("old", "new"), [("deal 3H 2C", "deal 2C 3H"), ('"MaxRounds":5', '"MaxRounds":6')])
def test_conflicting_deals_or_settings_are_refused(run, old, new):
    rows = small()
    written(rows, Path("one.csv"))
    rows[0] = {name: cell.replace(old, new) for name, cell in rows[0].items()}
    written(rows, Path("other.csv"))
    code, messages = run("transform", "one.csv", "other.csv", "-o", "out.txt")
    assert (code, len(messages)) == (2, 1)
    assert "other.csv, line 2: " in messages[0]
    assert "one.csv, line 2: " in messages[0]


def test_identical_duplicate_hands_are_merged(run):
    rows = small()
    written(rows, Path("one.csv"))
    written(rows[len(rows) // 2 :] + rows[: len(rows) // 2], Path("more.csv"))
    Path("same.csv").write_text(Path("one.csv").read_text("utf-8"), "utf-8")
    code, messages = run("hands", "one.csv", "same.csv", "-o", "hands.csv")
    assert (code, messages[0].split(":")[1]) == (0, " 4 hands were merged")
    assert len(rows_of(Path("hands.csv").read_text("utf-8"))) == 4


# ---------------------------------------------------------------- notes of the server


NOTES = ["clock +7200.0", "clock -3600.0", "second tab", "away", "back", "a note of a later version"]


def with_notes(rows: list[Row]) -> list[Row]:
    """Returns the rows with all notes after each seat's first action of a hand."""
    noted = []
    for row in rows:
        noted.append(row)
        if row["action_number"] == "1" and row["accepted"] == "1":
            note = {**row, "action_number": "", "accepted": "", "client_ms": ""}
            noted += [{**note, "action": action} for action in NOTES]
    return noted


def untimed(rows: dict[tuple[str, str], Row]) -> dict[tuple[str, str], Row]:
    """Removes response times, which a reconnect changes."""
    turns = ("own_seconds", "partner_seconds", "seconds_per_turn")
    return {key: {name: row[name] for name in row if name not in turns} for key, row in rows.items()}


@pytest.mark.parametrize("name", [*GAMES, "ttt, given up and open", "matrix, absences"])
def test_notes_are_counted_and_change_nothing(run, name):
    rows = TABLES[name](Path("simulated.csv"))
    plain, _none = read(written(rows, Path("plain.csv")))
    noted, damaged = read(written(with_notes(rows), Path("noted.csv")))
    assert (untimed(noted), damaged) == (untimed(plain), 0)
    row = quality_of(Path("noted.csv"))
    times = sum(cells["action_number"] == "0" for cells in rows)
    names = ("server_clock_jumps", "second_tabs", "away", "damaged")
    assert [row[column] for column in names] == [2 * times, times, times, 0]
    hand_ids = {cells["hand_id"] for cells in rows}
    assert run("replay", "noted.csv", "--hand", min(hand_ids), "-o", "replay.html")[0] == 0
    assert "a note of a later version" in Path("replay.html").read_text("utf-8")
    if name == "ttt, given up and open":
        for table in ("plain", "noted"):
            assert run("split", f"{table}.csv", "--out", table)[0] == 0
        logs = [
            sorted((file.name, file.read_text("utf-8")) for file in Path(table).iterdir())
            for table in ("plain", "noted")
        ]
        assert logs[0] == logs[1]


def test_unreadable_hand_is_reported_in_the_servers_words(tmp_path):
    table = Path(__file__).parents[1] / "golden" / "ttt" / "played" / "custom_export.csv"
    with table.open(encoding="utf-8", newline="") as file:
        heading, *rows = csv.reader(file)
    hand_id = heading.index("hand_id")
    damaged = rows[0][hand_id]
    damaged_row = dict(zip(heading, rows[0])) | dict.fromkeys(heading[heading.index("action_number") :], "")
    damaged_row |= {
        "action": "unreadable",
        "reason": '{"deal":',
        "notice": "This hand cannot be read: line 1.",
    }
    with (tmp_path / "actions.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows(
            [heading, list(damaged_row.values()), *(row for row in rows if row[hand_id] != damaged)]
        )
    warned = io.StringIO()
    with contextlib.redirect_stderr(warned):
        assert main(["hands", str(tmp_path / "actions.csv"), "-o", str(tmp_path / "hands.csv")]) == 0
    assert "line 2: This hand cannot be read: line 1." in warned.getvalue()
    with (tmp_path / "hands.csv").open(encoding="utf-8", newline="") as file:
        assert damaged not in {row["hand_id"] for row in csv.DictReader(file)}
