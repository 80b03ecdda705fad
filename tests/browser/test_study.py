"""Tests the pages around the games by keyboard: consent, questionnaire and the end."""

from access import expect_accessible
from player import DESK, PHONE
from playwright.sync_api import expect
from tabs import advance


def test_whole_study_works_by_keyboard(server, browsers):
    fields = {"completion_url": "https://example.org/{label}/{code}", "completion_code": "C1", "check": False}
    session = server.create_session("two_games", 1, **fields)
    page = browsers.context(DESK).new_page()
    heading, press = page.get_by_role("heading", level=1), page.keyboard.press
    page.goto(session.start_urls[0] + "?participant_label=PC07")
    expect(heading).to_have_text("Your consent")
    expect_accessible(page, "consent")
    text = page.locator(".consent-text")
    expect(text).to_contain_text("Playing takes about 6 to 8 minutes.")
    expect(text).to_contain_text("If you finish, you are paid between €5.00 and €11.23.")
    page.get_by_label("I do not agree.").check()
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("You cannot change this later.")
    expect_accessible(page, "consent, asked once more")
    press("Enter")  # cancels
    page.get_by_label("I do not agree.").focus()
    press("ArrowUp")
    expect(page.get_by_label("I agree to take part.")).to_be_checked()
    press("Tab")
    press("Enter")
    expect(heading).to_have_text("How to play")
    for _page in range(8):  # instructions, three hands, results; instructions, a hand, results
        advance(server, session.code)
    expect(heading).to_have_text("A few questions")  # each advance led the page on
    page.get_by_role("button", name="Next").press("Enter")
    expect(page.get_by_text("Please answer this question.")).to_have_count(5)
    expect_accessible(page, "questionnaire with errors")
    page.set_viewport_size(PHONE["viewport"])
    scale = page.locator(".scale input")
    assert len({scale.nth(place).bounding_box()["y"] for place in range(7)}) == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.set_viewport_size(DESK["viewport"])
    page.get_by_label("How old are you?").focus()
    for key in ("3", "0", "Tab", "Tab", "x"):  # types a custom answer without choosing the option before it
        press(key)
    expect(page.get_by_role("textbox", name="My own answer")).to_have_value("x")
    for key in ("Tab", "l", "a", "w", "Tab", "Space", "ArrowRight", "Tab", "x", "Tab", "Enter"):
        press(key)
    expect(heading).to_have_text("This is the end")
    expect_accessible(page, "the end of an online study")
    link = page.get_by_role("link", name="Finish the study")
    expect(link).to_have_attribute("href", "https://example.org/PC07/C1")
    page.close()
    answers = server.export(session.code, "questionnaire_app", "custom_export_answers")
    assert answers.splitlines()[1].endswith(",30,own,x,law,2,x")
