"""Tests a game of Card Lab between the pages of a researcher's own oTree project."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from installed import cardlab, lay_out, start_project, with_card_lab
from playwright.sync_api import expect
from server_fixture import LabServer
from tabs import advance

from conftest import TargetSeats

BOTH = """
SESSION_CONFIGS.append(
    {**SESSION_CONFIGS[-1], "name": "both", "app_sequence": ["own_app", "ttt_solo_app"], "theme": "light"}
)
"""


@pytest.fixture
def study(tmp_path) -> Iterator[LabServer]:
    """Provides a server of a project with an own app, and Target the Two after it."""
    site, folder = lay_out(tmp_path / "site"), start_project(tmp_path / "study")
    added = cardlab(folder, site, "add", "ttt_solo_app", "--yes")
    assert added.returncode == 0, added.stderr
    with (folder / "settings.py").open("a", encoding="utf-8", newline="") as settings:
        settings.write(BOTH)
    with LabServer(folder, environment=with_card_lab(site)) as server:
        yield server


def test_own_session_stays_as_otree_makes_it(study, browsers):
    """Its pages have oTree's look, it may change browsers, and the end is oTree's."""
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
    for _page in range(4):  # three hands, results
        advance(study, session.code)
    expect(page.get_by_text("This is the end")).to_be_visible()
    rows = study.export(session.code).splitlines()
    assert any(",P," in row for row in rows)
    seats.leave()
