"""Tests a game of Card Lab between the pages of a researcher's own oTree project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import requests
from installed import cardlab, lay_out, start_project, with_card_lab
from playwright.sync_api import expect
from seats import TargetSeats
from server_fixture import LabServer, wait_for
from tabs import advance

BOTH = """
SESSION_CONFIGS += [
    {**SESSION_CONFIGS[-1], "name": name, "app_sequence": [app, "ttt_solo_app"], "theme": "light"}
    for name, app in (("both", "own_app"), ("quiet", "quiet_app"))
]
"""
# Pages without oTree's scripts, or with different scripts.
QUIET_APP = """
from otree.api import *

class C(BaseConstants):
    NAME_IN_URL, PLAYERS_PER_GROUP, NUM_ROUNDS = "quiet", None, 1

class Subsession(BaseSubsession): pass
class Group(BaseGroup): pass
class Player(BasePlayer): pass
class Bare(Page): pass
class Linked(Page): pass
class All(WaitPage): wait_for_all_groups = True

page_sequence = [Bare, Linked, All]
"""
BARE_FRAME = "<!DOCTYPE html><title>Bare</title><h1>Bare</h1><form method=post><button>Next</button></form>"
LINKED_PAGE = "{{ block title }}Linked{{ endblock }}{{ block content }}{{ next_button }}{{ endblock }}"


@pytest.fixture
def study(tmp_path) -> Iterator[LabServer]:
    """Provides a server whose project has a custom app, followed by Target the Two."""
    site, folder = lay_out(tmp_path / "site"), start_project(tmp_path / "study")
    added = cardlab(folder, site, "add", "ttt_solo_app", "--yes")
    assert added.returncode == 0, added.stderr
    with (folder / "settings.py").open("a", encoding="utf-8", newline="") as settings:
        settings.write(BOTH)
    (folder / "quiet_app").mkdir()
    (folder / "quiet_app" / "__init__.py").write_text(QUIET_APP, "utf-8")
    (folder / "quiet_app" / "Frame.html").write_text(BARE_FRAME, "utf-8")
    (folder / "quiet_app" / "Bare.html").write_text('{{ extends "quiet_app/Frame.html" }}', "utf-8")
    (folder / "quiet_app" / "Linked.html").write_text(LINKED_PAGE, "utf-8")
    with LabServer(folder, environment=with_card_lab(site)) as server:
        yield server


def test_own_session_stays_as_otree_makes_it(study, browsers):
    """Its pages keep oTree's look and last page, and participants may change browsers."""
    session = study.create_session("own")
    for _browser in range(2):
        context = browsers.program.new_context()
        page = context.new_page()
        page.goto(session.start_urls[0])
        expect(page.get_by_role("heading", name="My page")).to_be_visible()
        styles = page.evaluate("[...document.styleSheets].map(sheet => sheet.href).filter(Boolean)")
        assert [sheet for sheet in styles if "/cardlab/" in sheet] == []
    advance(study, session.code)
    expect(page.get_by_text("No more pages left")).to_be_visible()


def test_game_is_played_after_own_page(study, browsers):
    seats = TargetSeats(browsers, study)
    session = study.create_session("both")
    player = seats.tab(browsers.program.new_context(), study, session)
    page = player.page
    page.goto(session.start_urls[0])
    expect(page.get_by_role("heading", name="My page")).to_be_visible()
    page.locator("textarea").fill("a long answer " * 1000)
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("heading", name="How to play")).to_be_visible()
    advance(study, session.code)
    player.expect_page("Hand")
    player.expect_live()
    player.press("p")
    for _page in range(4):  # three hands and the results
        advance(study, session.code)
    expect(page.get_by_text("This is the end")).to_be_visible()
    rows = study.export(session.code).splitlines()
    assert any(",P," in row for row in rows)
    seats.leave()


def test_own_pages_report_presence(study, browsers):
    """Pages without oTree's scripts and oTree's wait page do so, too; otherwise readers would seem gone."""
    session = study.create_session("quiet", 2)
    code = session.participants[0]

    def connection() -> str:
        rows = requests.get(f"{study.url}/cardlab/progress/{session.code}/rows", proxies={}).json()["rows"]
        return next(row["connection"] for row in rows if row["code"] == code)

    page = browsers.program.new_context().new_page()
    steps = {
        "Bare": lambda: page.goto(session.start_urls[0]),
        "Linked": lambda: page.get_by_role("button", name="Next").click(),
        "Please wait": lambda: page.get_by_role("button", name="Next").click(),
    }
    for name, step in steps.items():
        with page.expect_websocket(lambda socket: f"/here/{code}" in socket.url):
            step()
        expect(page.get_by_role("heading", name=name)).to_be_visible()
        wait_for(lambda: connection() == "here", "a connection")
    page.goto("about:blank")
    wait_for(lambda: connection() == "gone", "the end of the connection")
