"""Tests replays: the steps of a hand, the choice of hands, and the self-contained file."""

from __future__ import annotations

import html
import io
import json
import re
from pathlib import Path

import pytest
from harnesses import GAMES
from hypothesis import given
from hypothesis import strategies as st
from server_tables import small_session  # first: it keeps oTree off the project's database
from synthetic_actions import MARKUP_LABEL, SCRIPT_INJECTION, actions_csv, hand_rows

from cardlab import folders
from cardlab.analysis import replay, sources
from cardlab.analysis.actions_table import read_hands
from cardlab.analysis.replay import page
from cardlab.analysis.replay.steps import diff, replay_hand
from cardlab.games.contract import BadFile
from cardlab.games.matrix import rules as matrix
from cardlab.games.registry import games_by_name
from cardlab.games.ttt import rules as ttt

DATA = Path(__file__).parents[1] / "data/ttt"
HANDS = {name: game.harness.replayed() for name, game in GAMES.items()}
SEATS = [
    (name, seat) for name, rows in HANDS.items() for seat in sorted({row["seat"] for row in rows} - {""})
]
TTT, MATRIX, TRIANGLE = (GAMES[name].harness for name in ("ttt", "matrix", "triangle"))


def hands_of(text: str):
    return read_hands(io.StringIO(text), "actions.csv")


def written(text: str, **choice) -> str:
    file = io.StringIO()
    replay.write_page(hands_of(text), file, **choice)
    return file.getvalue()


def data_of(page_text: str) -> dict:
    """Returns the data that the page's script reads."""
    (found,) = re.findall(r'<script id="data" type="application/json">(.*?)</script>', page_text, re.DOTALL)
    return json.loads(found)


def unfolded(old, changes):
    """Applies a change as replay.js does."""
    if changes is None:
        return old
    if isinstance(changes, list):
        return changes[0]
    copy = list(old) if isinstance(old, list) else dict(old)
    for key, inside in changes.items():
        place = int(key) if isinstance(old, list) else key
        copy[place] = unfolded(copy[place], inside)
    return copy


def views(steps: list[dict]) -> list[dict]:
    """Returns the seat's view after each step."""
    shown = [None]
    for step in steps:
        shown.append(unfolded(shown[-1], step.get("view")))
    return shown[1:]


# ---------------------------------------------------------------- the steps


_values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.text("ab<", max_size=2),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner, max_size=3),
    max_leaves=12,
)


@given(_values, _values)
def test_applying_a_difference_gives_the_new_value(old, new):
    assert unfolded(old, json.loads(json.dumps(diff(old, new)))) == new


@pytest.mark.parametrize(("game", "seat"), SEATS)
def test_every_step_shows_the_seats_view(game, seat):
    rules = GAMES[game].rules
    (dealt, *rows) = HANDS[game]
    (one,) = hands_of(actions_csv(HANDS[game]))
    replay = replay_hand(one, seat, rules)
    state = rules.start(dealt["action"].removeprefix("deal "), json.loads(dealt["settings"]))
    expected = [rules.view(state, seat)]
    for row in rows:
        if row["accepted"] == "1" and not row["action"].startswith("end "):
            state = rules.apply(state, row["seat"], row["action"])
        expected.append(rules.view(state, seat))
    assert views(replay["steps"]) == expected
    assert [step.get("reason", "") for step in replay["steps"][1:]] == [row["reason"] for row in rows]
    times = [step["ms"] for step in replay["steps"]]
    assert times == sorted(times)
    result = rules.result(state, seat, times[-1] / 1000)
    assert (replay["outcome"], replay["score"]) == (result.outcome, result.score)


def test_events_have_the_expected_kinds():
    (one,) = hands_of(actions_csv(HANDS["ttt"]))
    kinds = [step["kind"] for step in replay_hand(one, "solo", ttt)["steps"]]
    assert kinds == ["deal", "look", "pick-up", "move", "refused", "move", "note", "move", "move", "end"]


def test_server_moves_are_marked_as_such():
    for game in ("ttt", "triangle"):
        (one,) = hands_of(actions_csv(HANDS[game]))
        by_server = {
            step["action"] for step in replay_hand(one, "solo", GAMES[game].rules)["steps"] if "by" in step
        }
        assert by_server == ({"discard"} if game == "triangle" else set())


def test_replay_ends_when_the_participant_leaves():
    rows = MATRIX.replayed()
    seventh = next(
        index for index, row in enumerate(rows) if row["action_number"] == "7" and row["accepted"] == "1"
    )
    left = {**rows[seventh], "seat": "W", "action": "leave advanced", "accepted": "", "action_number": ""}
    left |= {"participant_code": "code_W", "client_ms": ""}
    (one,) = hands_of(actions_csv([*rows[: seventh + 1], left, *rows[seventh + 1 :]]))
    replay = replay_hand(one, "W", matrix)
    shown = views(replay["steps"])
    at = next(index for index, step in enumerate(replay["steps"]) if step.get("action") == "leave advanced")
    assert all(view == shown[at] for view in shown[at:])
    assert shown[-1] != views(replay_hand(one, "S", matrix)["steps"])[-1]
    assert replay["outcome"] == replay["steps"][at]["over"] == "advanced"
    assert replay["score"] == next(each["score"] for each in shown[at]["players"] if each["seat"] == "W")
    assert not any("over" in step for step in replay["steps"][at + 1 :])
    assert replay["steps"][at]["away"] == ["W"]


# ---------------------------------------------------------------- choice of hands


def test_replay_contains_all_hands_or_the_chosen_one():
    both = actions_csv(
        MATRIX.replayed(), TTT.replayed(2), TTT.replayed(3), MATRIX.replayed(4, 2, {"W": "random"})
    )
    assert [hand["number"] for hand in data_of(written(both, participant="code_solo"))["hands"]] == [2, 3]
    w_hands = data_of(written(both, participant="code_W"))["hands"]
    assert [(hand["number"], hand["seat"]) for hand in w_hands] == [(1, "W")]
    s_hands = data_of(written(both, participant="code_S"))["hands"]
    assert [(hand["number"], hand["seat"], hand["label"]) for hand in s_hands] == [
        (1, "S", MARKUP_LABEL),
        (4, "S", MARKUP_LABEL),
    ]
    (one,) = data_of(written(both, hand_id="matrix_game_app-s3ss10n0-1-1"))["hands"]
    assert one["seat"] == "S"
    (one,) = data_of(written(both, hand_id="matrix_game_app-s3ss10n0-1-1", seat="W"))["hands"]
    assert one["seat"] == "W"
    everything = data_of(written(both, participant="code_S"))
    assert set(everything["games"]) == {"matrix"}


@pytest.mark.parametrize(
    ("choice", "sentence"),
    [
        (
            {"hand_id": "x-9"},
            "hand x-9: The sources have no hand of this name. They have ttt_solo_app-s3ss10n0-1-1.",
        ),
        (
            {"participant": "Bob"},
            "participant Bob: The sources have no participant of this name. They have code_solo.",
        ),
        (
            {"participant": "code_solo", "seat": "N"},
            "actions.csv, line 2: The hand dealt here has no seat 'N'. Its seats are solo.",
        ),
    ],
)
def test_unknown_choice_is_refused_in_one_line(choice, sentence):
    with pytest.raises(BadFile) as error:
        written(actions_csv(TTT.replayed()), **choice)
    assert str(error.value) == sentence


def test_error_lists_only_some_of_many_names():
    many = actions_csv(*(TTT.replayed(number) for number in range(1, 9)))
    with pytest.raises(BadFile) as error:
        written(many, hand_id="x")
    assert str(error.value).endswith("1-5 … (8 hands in all).")


def test_source_without_hands_is_refused():
    with pytest.raises(BadFile, match=r"^hand x: The sources have no hands\.$"):
        written(actions_csv(), hand_id="x")


def test_illegal_hand_is_refused():
    rows = TTT.replayed()
    rows[3]["action"] = "C"  # makes the following T illegal
    with pytest.raises(BadFile, match=r"^actions.csv, line 2: .* is not allowed: "):
        written(actions_csv(rows), participant="code_solo")


# ---------------------------------------------------------------- logs


def test_original_program_log_is_replayed():
    hands = list(sources.read_hands([DATA / "seed_log_nk.txt"], lambda _: None))
    assert hands[0].row_source.logs.longest.goal is None  # required by this test
    file = io.StringIO()
    assert replay.write_page(hands, file, participant=hands[0].participant) == len(hands)
    for one, read_again in zip(hands, data_of(file.getvalue())["hands"]):
        shown = views(read_again["steps"])
        assert {(view["goal"], view["left"]) for view in shown} == {(None, "?")}
        assert [view["moves"] for view in shown][-1] == len(one.row_source.logs.longest.sequence)
        assert "neither the goal nor the settings" in read_again["notice"]
        assert "MaxRounds" not in read_again["settings"]


def test_logs_and_table_give_the_same_hands(tmp_path):
    session = small_session()
    for name in ("actions.csv", "ck.txt", "nk.txt"):
        function = "custom_export" if name == "actions.csv" else f"custom_export_{name[:2]}_log"
        (tmp_path / name).write_text(session.export(function), "utf-8")

    def steps(*names):
        file = io.StringIO()
        hands = sources.read_hands([tmp_path / name for name in names], lambda _: None)
        replay.write_page(hands, file, participant="s3ss10n0_2")
        return [
            [(step["kind"], step["ms"], view) for step, view in zip(hand["steps"], views(hand["steps"]))]
            for hand in data_of(file.getvalue())["hands"]
        ]

    by_table, by_logs = steps("actions.csv"), steps("ck.txt", "nk.txt")
    assert len(by_table) == len(by_logs) == 2
    for one, other in zip(by_table, by_logs):
        assert [step for step in one if step[0] != "end"] == [step for step in other if step[0] != "end"]
        assert len(one) == len(other)


def test_log_hands_have_generated_ids():
    hands = list(sources.read_hands([DATA / "seed_log_nk.txt"], lambda _: None))
    file = io.StringIO()
    assert replay.write_page(hands, file, hand_id=f"{hands[0].participant}-{hands[0].number}") == 1


# ---------------------------------------------------------------- the file


@pytest.mark.parametrize("game", sorted(games_by_name()))
def test_board_template_renders_without_a_server(game):
    assert "see_results" in games_by_name()[game].load_module("texts").board_texts()
    board = page.render_board((folders.OWN / "_templates" / game / "Board.html").read_text("utf-8"))
    assert 'id="board"' in board
    assert "{{" not in board


def test_unsupported_template_tags_raise_an_error():
    assert (
        page.render_board('<b>{{ trans "R & B\'s" }}</b>')
        == f"<b>{html.escape(chr(82) + ' & B' + chr(39) + 's')}</b>"
    )
    with pytest.raises(ValueError, match="may contain only texts"):
        page.render_board("{{ if looks }}x{{ endif }}")


def test_recorded_text_is_never_markup():
    text = written(actions_csv(TTT.replayed()), participant="code_solo")
    assert SCRIPT_INJECTION not in text
    assert "<img" not in text.split('<script id="data"')[1].split("</script>")[0]
    assert [step.get("action") for step in data_of(text)["hands"][0]["steps"]].count(SCRIPT_INJECTION) == 1
    assert f"<title>Replay: {html.escape(MARKUP_LABEL)}</title>" in text
    assert text.count("</script>") == text.count("<script") == 3


def test_replay_file_is_self_contained():
    every = actions_csv(*HANDS.values())
    for code in ("code_S", "code_solo"):
        text = written(every, participant=code)
        head = text.split('<script id="data"')[0]
        assert not re.search(r"""(?:src|href)=["'](?!data:)""", head)
        (imports,) = re.findall(r'<script type="importmap">(.*?)</script>', text, re.DOTALL)
        assert all(address.startswith("data:") for address in json.loads(imports)["imports"].values())
        assert "default-src 'none'" in head


def test_same_hands_give_the_same_bytes_anywhere(tmp_path):
    every = actions_csv(*HANDS.values())
    pages = []
    for folder in ("one", "another"):
        path = tmp_path / folder / "actions.csv"
        path.parent.mkdir()
        path.write_text(every, "utf-8")
        file = io.StringIO()
        replay.write_page(sources.read_hands([path], lambda _: None), file, participant="code_solo")
        pages.append(file.getvalue())
    assert pages[0] == pages[1]
    assert str(tmp_path) not in pages[0]


def test_forty_hands_fit_into_one_file():
    text = written(
        actions_csv(*(TRIANGLE.replayed(seed, seed) for seed in range(1, 41))), participant="code_solo"
    )
    assert len(text.encode()) < 2_000_000


def test_hand_closed_before_it_was_shown_is_replayed():
    rows = hand_rows("ttt", "3H 2C 2H 4C 4H 3C | 2H | ck", TTT.FACE_DOWN, [])
    end = {**rows[0], "action": "end advanced", "action_number": "1", "settings": "", "practice": ""}
    rows[0]["shown_utc"] = end["shown_utc"] = ""
    (one,) = data_of(written(actions_csv([rows[0], end]), participant="code_solo"))["hands"]
    assert [(step["kind"], step["ms"]) for step in one["steps"]] == [("deal", 0), ("end", 0)]
    assert (one["outcome"], one["score"], one["shown"]) == ("advanced", 0, "")
