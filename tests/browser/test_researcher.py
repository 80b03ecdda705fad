"""Tests how a researcher chooses and changes a session, monitors it, and downloads the data."""

import csv
import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from access import expect_accessible
from player import DESK
from playwright.sync_api import expect
from server_fixture import REST_KEY, LabServer, LabSession
from ttt_player import HANDS, SHOW_FILE, TargetPlayer

import settings
from cardlab.games.session_config import APPS
from cardlab.games.ttt import keeper_log
from cardlab.operations.export import export_file

EXPORTS = ["", "_hands", "_participants", "_ck_log", "_nk_log", "_transform"]


@pytest.fixture
def desk(browsers):
    """Provides the researcher's page."""
    page = browsers.context(DESK).new_page()
    yield page
    page.close()


def choose_config(desk, server: LabServer, config: str, **fields: str) -> None:
    """Fills in the form for a new session, with ``fields`` of the config changed."""
    desk.goto(f"{server.url}/create_session")
    desk.locator(f"[name=session_config][value={config}]").check()
    desk.locator("[name=num_participants]").fill("2")
    desk.get_by_role("button", name="Open all").click()
    for name, value in fields.items():
        field = desk.locator(f"[name='{config}.{name}']")
        if field.get_attribute("type") == "checkbox":
            field.set_checked(value == "yes")
        elif field.evaluate("field => field.localName") == "select":
            field.select_option(value)
        else:
            field.fill(value)


def create(desk) -> None:
    desk.locator("#btn-create-session").click()


def new_session(desk, server: LabServer) -> LabSession:
    """Returns the session whose start links the page shows."""
    expect(desk).to_have_url(re.compile("/SessionStartLinks/"))
    links = [link.get_attribute("href") for link in desk.locator(".participant-link").all()]
    codes = [link.rsplit("/", 1)[1] for link in links]
    return LabSession(desk.url.rsplit("/", 1)[1], codes, links)


@pytest.mark.parametrize("size", [(1920, 1080), (390, 844), (844, 390)])
def test_demo_page_shows_every_game_and_session(desk, server, size):
    desk.set_viewport_size({"width": size[0], "height": size[1]})
    desk.goto(f"{server.url}/demo")
    expect(desk.locator(".session-config")).to_have_count(len(settings.SESSION_CONFIGS))
    for declared in APPS.values():
        if declared.about:
            game = desk.get_by_role("region", name=declared.title, exact=True)
            expect(game).to_contain_text(declared.about.measures)
            board = game.get_by_role("img", name=declared.about.shows)
            board.scroll_into_view_if_needed()
            desk.wait_for_function(
                "image => image.complete && image.naturalWidth", arg=board.element_handle()
            )
    expect(desk.get_by_role("region").last).to_contain_text("Consent, two games, questionnaire")
    assert desk.evaluate("document.documentElement.scrollWidth") <= size[0]
    expect_accessible(desk, f"the gallery at {size}", within="#gallery")


def test_demo_session_begins_with_a_click(desk, seat_participant, server):
    desk.goto(f"{server.url}/demo")
    desk.get_by_role("region", name="Target the Two", exact=True).get_by_text("Short demo").click()
    session = new_session(desk, server)
    player = seat_participant.tab(desk.context, server, session).to_the_hand()
    player.expect_title("Hand 1 of 3")
    desk.set_viewport_size({"width": 390, "height": 844})
    for page in ("SessionStartLinks", "SessionEditProperties"):
        desk.goto(f"{server.url}/{page}/{session.code}")
        assert desk.evaluate("document.documentElement.scrollWidth") <= 390, page


def test_wrong_setting_is_refused_in_one_sentence(desk, server):
    before = server.row_counts()["otree_session"]
    (server.folder / "deals" / "ttt" / "wrong.txt").write_text(HANDS.replace("3C", "7C"), "utf-8")
    wrong = [
        ({"ShowFileName": "no_such.txt"}, "no_such.txt"),
        ({"ShowFileName": "wrong.txt"}, "line 3"),
        ({"MaxRounds": "many"}, "MaxRounds must be a whole number from 1 to 1000"),
        ({"practice_hands": "9"}, "practice_hands is 9, but the file has only"),
    ]
    for fields, words in wrong:
        choose_config(desk, server, "ttt_demo", **fields)
        create(desk)
        complaint = desk.locator("#create-session-error")
        expect(complaint).to_contain_text(words)
        assert 'File "' not in complaint.inner_text()
        assert "Traceback" not in complaint.inner_text()
    assert server.row_counts()["otree_session"] == before


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_form_marks_differences_and_wrong_fields(desk, server, size):
    desk.set_viewport_size({"width": size[0], "height": size[1]})
    desk.goto(f"{server.url}/create_session")
    desk.get_by_role("searchbox", name="Search the configs").fill("solitario solvable")
    expect(desk.locator(".config-choice:visible")).to_have_count(1)
    desk.get_by_role("radio", name="Solvable deals only").check()
    design = desk.locator("details", has_text="Which deals")
    expect(design.locator("summary")).to_have_text("Design1 differs from the default")
    desk.get_by_role("button", name="Open all").click()
    expect(desk.get_by_role("combobox", name="Which deals")).to_have_value("solvable")
    hands = desk.locator("[name='solitario_solvable.hands']")
    hands.fill("99")
    desk.get_by_label("Number of participants").fill("2")
    desk.get_by_label("Number of participants").press("Enter")
    expect(hands).to_be_focused()
    expect(hands).to_have_attribute("aria-invalid", "true")
    sentence = "hands must be a whole number from 1 to 20, not '99'."
    expect(desk.locator("[id='setting-solitario_solvable.hands-error']")).to_have_text(sentence)
    expect_accessible(desk, f"the form at {size}", within="#form")
    assert desk.evaluate("document.documentElement.scrollWidth") <= size[0]
    desk.get_by_role("button", name="Reset to 2: Hands").click()
    expect(hands).to_have_value("2")
    design.get_by_role("button", name="Reset to any: Which deals").click()
    expect(design.locator("summary")).to_have_text("Design")
    create(desk)
    assert len(new_session(desk, server).participants) == 2


def test_researcher_advances_a_participant(desk, seat_participant, server):
    player = seat_participant().to_the_hand()
    player.press("c")
    desk.goto(f"{server.url}/SessionProgress/{player.session.code}")
    desk.bring_to_front()
    desk.get_by_role("checkbox", name="P1").check()
    desk.get_by_role("button", name="Advance one page").click()
    desk.get_by_role("button", name="Advance", exact=True).click()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    hand = player.export("custom_export_hands")[0]
    assert (hand["sequence"], hand["outcome"], hand["score"]) == ("C", "advanced", "0")


def play_two_hands(player: TargetPlayer) -> None:
    """Plays with everything that people do besides moves: a change of mind, a look, a broken rule, a pass."""
    player.drag_to_nowhere("Ck")
    player.page.keyboard.press("t")
    player.expect_refusal("The colours differ")
    player.drag("Ck", "C")
    player.expect_moves(1)
    player.press("t", "t")
    player.next()
    player.expect_title("Hand 2 of 2")
    player.expect_live()
    player.tap("Ck")
    expect(player.at("Ck").locator(".card")).to_have_attribute("data-card", "2C")
    player.press("t", "u", "p", "t")
    player.next()
    player.expect_page("Results")


ACTIONS = [
    ("1", "0", "deal 2H 3H 2C 4C 3C 4H | 2H | ck", "1"),
    ("1", "1", "pick ck", "1"),
    ("1", "1", "T", "0"),
    ("1", "2", "pick ck", "1"),
    ("1", "3", "C", "1"),
    ("1", "4", "T", "1"),
    ("1", "5", "T", "1"),
    ("1", "6", "end solved", "1"),
    ("2", "0", "deal 3H 2C 2H 4C 4H 3C | 2H | ck", "1"),
    ("2", "1", "look ck", "1"),
    ("2", "2", "T", "1"),
    ("2", "3", "U", "1"),
    ("2", "4", "P", "1"),
    ("2", "5", "T", "1"),
    ("2", "6", "end solved", "1"),
]

# The two logs, without the times at the start of each line.
SETTINGS = (
    "MaxRounds=10 ViewCard=all ViewCkNk=FALSE DragCkNk=TRUE ViewTarget=TRUE CardsBackFile=dorso1 "
    "pay_by=moves time_scale_seconds=60"
)
CK_LOG = """\
Game begins
userID:userName {code} 1 :gameNum 2:partner 1
errorsMade 0:score 0:row 0column 0
GS:;Game started;;
HS:1;2H;ck;{settings}:Hand started
GC:4H;numberCardView:Card dealt
GC:3C;downNumberCardView:Card dealt
GC:2C;upCardView:Card dealt
GC:2H;downColorCardView:Card dealt
GC:3H;colorCardView:Card dealt
GC:4C;targetCardView:Card dealt
pR:3H:colorCardView:ColorKeeperRemoved card
ER:T;The colours differ. The colour keeper may exchange with Target only if both cards have \
the same colour.:Color Keeper refused
pR:3H:colorCardView:ColorKeeperRemoved card
PM:2H;downColorCardView;3H;colorCardView:Color Keeper moved card
RM:4C;targetCardView;4H;numberCardView:Remote move card
PM:4H;targetCardView;2H;colorCardView:Color Keeper moved card
GE:2;700:Hand Ended
:Hand Ended
HS:2;2H;ck;{settings}:Hand started
GC:3C;numberCardView:Card dealt
GC:4H;downNumberCardView:Card dealt
GC:2H;upCardView:Card dealt
GC:3H;downColorCardView:Card dealt
GC:2C;colorCardView:Card dealt
GC:4C;targetCardView:Card dealt
VC:2C;colorCardView:ColorKeeperViewed card
PM:4C;targetCardView;2C;colorCardView:Color Keeper moved card
RM:2H;upCardView;3C;numberCardView:Remote move card
PP::Pass sent;;;
RM:2C;targetCardView;2H;numberCardView:Remote move card
GE:2;600:Hand Ended
:Hand Ended
"""
NK_LOG = """\
Game begins
userID:userName {code} 1 :gameNum 2:partner 1
errorsMade 0:score 0:row 0column 0
GS:;Game started;;
HS:1;2H;ck;{settings}:Hand started
GC:4H;numberCardView:Card dealt
GC:3C;downNumberCardView:Card dealt
GC:2C;upCardView:Card dealt
GC:2H;downColorCardView:Card dealt
GC:3H;colorCardView:Card dealt
GC:4C;targetCardView:Card dealt
RM:2H;downColorCardView;3H;colorCardView:Remote move card
PM:4C;targetCardView;4H;numberCardView:Number Keeper moved card
RM:4H;targetCardView;2H;colorCardView:Remote move card
GE:1;700:Hand Ended
:Hand Ended
HS:2;2H;ck;{settings}:Hand started
GC:3C;numberCardView:Card dealt
GC:4H;downNumberCardView:Card dealt
GC:2H;upCardView:Card dealt
GC:3H;downColorCardView:Card dealt
GC:2C;colorCardView:Card dealt
GC:4C;targetCardView:Card dealt
RM:4C;targetCardView;2C;colorCardView:Remote move card
PM:2H;upCardView;3C;numberCardView:Number Keeper moved card
RP::Remote pass received;;;
PM:2C;targetCardView;2H;numberCardView:Number Keeper moved card
GE:2;600:Hand Ended
:Hand Ended
"""

TRANSFORM = ["2H\t3H\t2C\t4C\t3C\t4H", "CTT", "3H\t2C\t2H\t4C\t4H\t3C", "TUPT"]


def download(desk, server: LabServer, folder: Path) -> dict[str, bytes]:
    """Downloads every export of the app from the data page; returns them by function name."""
    desk.goto(f"{server.url}/ExportIndex")
    desk.wait_for_function("() => socket.readyState === WebSocket.OPEN")
    files = {}
    for name in EXPORTS:
        with desk.expect_download() as coming:
            desk.locator(f"#app-ttt_solo_app-custom_export{name}").click()
        coming.value.save_as(folder / f"custom_export{name}")
        files[f"custom_export{name}"] = (folder / f"custom_export{name}").read_bytes()
    return files


def rows(file: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(file.decode())))


def test_downloaded_data_equal_the_played_session(desk, seat_participant, own_server, tmp_path):
    choose_config(
        desk,
        own_server,
        "ttt_demo",
        ShowFileName=SHOW_FILE,
        ViewCkNk="FALSE",
        MaxRounds="10",
        payoff_rate="2",
        tutorial="free",
    )
    create(desk)
    session = new_session(desk, own_server)
    desk.goto(f"{own_server.url}/SessionProgress/{session.code}")
    player = seat_participant.tab(desk.context, own_server, session).arrive()
    player.expect_page("Instructions")
    monitored = desk.get_by_role("row", name="P1")
    expect(monitored).to_contain_text("Instructions")
    player.expect_live()
    player.skip_steps()
    player.expect_title("Hand 1 of 2")
    player.expect_live()
    expect(monitored).to_contain_text("Hand")
    play_two_hands(player)
    expect(monitored).to_contain_text("Results")

    desk.bring_to_front()
    files = download(desk, own_server, tmp_path)
    assert_played(files, session)

    out = tmp_path / "fetched"
    command = [sys.executable, "lab.py", "export", session.code, "--url", own_server.url, "--out", str(out)]
    environment = {**os.environ, "OTREE_REST_KEY": REST_KEY}
    subprocess.run(command, cwd=own_server.folder, env=environment, check=True, stdout=subprocess.PIPE)
    assert {name: (out / export_file("ttt_solo_app", name)).read_bytes() for name in files} == files


def assert_played(files: dict[str, bytes], session: LabSession) -> None:
    """Checks that every export contains exactly what :func:`play_two_hands` does."""
    actions = rows(files["custom_export"])
    exported = [(row["hand"], row["action_number"], row["action"], row["accepted"]) for row in actions]
    assert exported == ACTIONS
    assert {(row["session_code"], row["participant_code"]) for row in actions} == {
        (session.code, session.participants[0])
    }
    hands = rows(files["custom_export_hands"])
    exported = [
        tuple(hand[column] for column in ("sequence", "outcome", "score", "payoff")) for hand in hands
    ]
    assert exported == [("CTT", "solved", "700", "1400.0"), ("TUPT", "solved", "600", "1200.0")]
    exported = [
        tuple(hand[column] for column in ("actions", "refused", "looks", "pick_ups")) for hand in hands
    ]
    assert exported == [("5", "1", "0", "2"), ("5", "0", "1", "0")]
    first, second = rows(files["custom_export_participants"])
    assert (first["score"], float(first["payoff"]), float(first["earnings_total"])) == ("1300", 2600, 6.3)
    assert (second["participant_code"], second["came_utc"]) == (session.participants[1], "")
    assert files["custom_export_transform"].decode().split("\r\n") == [*TRANSFORM, ""]
    for keeper, expected in {"ck": CK_LOG, "nk": NK_LOG}.items():
        text = files[f"custom_export_{keeper}_log"].decode().replace("\r\n", "\n")
        played = expected.format(code=session.participants[0], settings=SETTINGS)
        assert re.sub(r"^[\d.]+:([\d.]+:)?", "", text, flags=re.MULTILINE) == played
        log = keeper_log.read(text.splitlines(), f"{keeper}.txt")
        assert [hand.sequence for hand in log.hands] == ["CTT", "TUPT"]
        assert log.warnings == []
