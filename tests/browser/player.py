"""Controls a participant's browser: opens the start link, plays by mouse, touch or keyboard, reads the page.

All waiting is left to Playwright's ``expect``, which has a time limit; hardly anything waits for a fixed
time.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from typing import Any, NamedTuple

from playwright.sync_api import Locator, Page, expect
from server_fixture import LabServer, LabSession

# Playwright's options for a participant's screen. Cards jump to their places, because drawing their motion
# would be a third of the cost of the browser tests. MOVING is for tests in which users act on moving cards.
STILL = {"reduced_motion": "reduce"}
MOVING = {"reduced_motion": "no-preference"}
DESK = {"viewport": {"width": 1280, "height": 720}, **STILL}
PHONE = {
    **STILL,
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
# The smallest phone in use, with the bars of its browser.
SMALL_PHONE = {**PHONE, "viewport": {"width": 375, "height": 553}}


class Point(NamedTuple):
    """A point on the screen, in px."""

    x: float
    y: float


class Mouse:
    """Plays with a mouse."""

    def __init__(self, page: Page) -> None:
        self._mouse = page.mouse

    def drag(self, start: Point, end: Point) -> None:
        self.hold(start, end)
        self.up()

    def hold(self, start: Point, end: Point) -> None:
        """Drags without releasing."""
        self._mouse.move(*start)
        self._mouse.down()
        self._mouse.move(*end, steps=5)

    def up(self) -> None:
        self._mouse.up()

    def tap(self, at: Point) -> None:
        self._mouse.click(*at)


class Finger:
    """Plays by touch events; the browser decides what scrolls and what drags."""

    def __init__(self, page: Page) -> None:
        self._page, self._devtools = page, page.context.new_cdp_session(page)

    def down(self, at: Point) -> None:
        self._send("touchStart", at)

    def move(self, to: Point) -> None:
        self._send("touchMove", to)

    def up(self) -> None:
        self._send("touchEnd")

    def drag(self, start: Point, end: Point) -> None:
        self.hold(start, end)
        self.up()

    def hold(self, start: Point, end: Point) -> None:
        """Drags without releasing."""
        self.down(start)
        for step in (0.2, 0.4, 0.6, 0.8, 1):
            self.move(Point(start.x + step * (end.x - start.x), start.y + step * (end.y - start.y)))

    def tap(self, at: Point) -> None:
        """Taps with a single command: with two, a delay on a busy machine could make it a long press."""
        self._page.touchscreen.tap(*at)

    def _send(self, kind: str, *points: Point) -> None:
        touch_points = [point._asdict() for point in points]
        self._devtools.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touch_points})


class Player:
    """One participant of ``session``, with the given number counted from 0, at ``page``.

    ``faults`` collects the browser's errors: in scripts, on the console, and of requests. Each game's
    subclass knows its board, and sets the app's names and the right answers of its check.
    """

    app: str
    name_in_url: str
    right_answers: dict[str, tuple[str, ...]]  # by field, for each form of the question

    def __init__(self, page: Page, server: LabServer, session: LabSession, number: int = 0) -> None:
        self.page, self.server, self.session, self.number = page, server, session, number
        self.pointer = (
            Finger(page) if page.evaluate("matchMedia('(pointer: coarse)').matches") else Mouse(page)
        )
        self.wrong_answers = Counter()  # by field
        self.faults: list[str] = []
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        page.on("console", self._console)
        page.on("response", self._response)

    def _console(self, message) -> None:
        # oTree's own socket gives up a slow connection and opens another.
        given_up = "/here/" in message.text and "before the connection is established" in message.text
        if message.type in ("error", "warning") and not given_up:
            self.faults.append(f"console: {message.text}")

    def _response(self, response) -> None:
        if response.status >= 400:
            self.faults.append(f"{response.status} for {response.url}")

    # ---------------------------------------------------------------- navigation

    def arrive(self) -> Player:
        """Opens the start link, which leads to the page the participant is on."""
        self.page.goto(self.session.start_urls[self.number])
        return self

    def pass_the_instructions(self) -> None:
        """Submits the instructions without reading them; for sessions without a check."""
        instructions = self.page.request.get(self.session.start_urls[self.number])
        self.page.request.post(instructions.url)

    def expect_page(self, name: str) -> None:
        """Waits until the page is loaded; its address changes as soon as the first bytes arrive."""
        expect(self.page).to_have_url(re.compile(rf"/{self.name_in_url}/{name}/\d+$"))
        self.page.wait_for_load_state("domcontentloaded")

    def expect_title(self, title: str) -> None:
        expect(self.page.locator("#_otree-title")).to_have_text(title)

    def next(self) -> None:
        self.page.locator(".otree-btn-next").click()

    def next_by_key(self, key: str = "Enter") -> None:
        """Presses the focused button at the end of a hand, once the last position has been seen."""
        expect(self.page.locator("#go-on")).to_be_focused()
        self.page.wait_for_timeout(1_500)
        self.page.keyboard.press(key)

    def expect_step(self, name: str, locked: bool | None = None) -> None:
        """Checks which step of the instructions is shown, and whether Next is locked until it is done."""
        expect(self.page.locator("#coach")).to_have_attribute("data-step", name)
        if locked is not None:
            state = "true" if locked else "false"
            expect(self.page.locator(".otree-btn-next")).to_have_attribute("aria-disabled", state)

    def skip_steps(self) -> None:
        """Goes from the first step to the next page, doing nothing; for ``tutorial`` free."""
        self.to_the_last_step()
        self.next()

    def to_the_last_step(self) -> None:
        """Goes to the last step of the instructions, doing nothing; for ``tutorial`` free."""
        for _step in range(self.steps_left()):
            self.next()

    def steps_left(self) -> int:
        """Returns how many steps of the instructions follow the one that is shown."""
        shown, steps = map(int, re.findall(r"\d+", self.page.locator("#step").text_content()))
        return steps - shown

    def words_before_the_first_action(self) -> int:
        """Counts the words of the instructions before the first required action."""
        return len(self.page.locator("#coach").inner_text().split())

    def tab_to(self, selector: str) -> None:
        """Presses Tab until the selector has the focus; fails after 40 times."""
        is_focused = "selector => document.activeElement?.matches(selector) ?? false"
        for _press in range(40):
            self.page.keyboard.press("Tab")
            if self.page.evaluate(is_focused, selector):
                return
        raise AssertionError(f"40 times Tab do not lead to {selector}")

    def answer_check(self, **changed: str) -> None:
        """Answers every question right, except those in ``changed``, and submits the check."""
        asked = self.page.eval_on_selector_all("[type=radio]", "all => all.map(radio => radio.name)")
        for field in dict.fromkeys(asked):
            forms = self.right_answers[field]
            right = forms[self.wrong_answers[field] % len(forms)]
            answer = changed.get(field, right)
            self.wrong_answers[field] += answer != right
            self.page.locator(f"input[name={field}][value='{answer}']").check()
        self.page.locator(".btn-primary:visible").click()

    def answer_check_by_keyboard(self) -> None:
        """Answers every question right, in its first form, and submits the check, by keyboard only."""
        questions = self.page.eval_on_selector_all(
            "[type=radio]", "all => all.map(one => [one.name, one.value])"
        )
        for field in dict.fromkeys(name for name, _value in questions):
            self.tab_to(f"input[name={field}]")
            self.page.keyboard.press("Space")
            choices = [value for name, value in questions if name == field]
            for _down in range(choices.index(self.right_answers[field][0])):
                self.page.keyboard.press("ArrowDown")
        self.tab_to(".btn-primary")
        self.page.keyboard.press("Enter")

    # ---------------------------------------------------------------- all boards

    def wait_until(self, condition: str, arg: Any = None) -> None:
        """Waits for a condition of the page, polled every 50 ms.

        By default Playwright polls at each frame, and has each frame drawn for that.
        """
        self.page.wait_for_function(condition, arg=arg, polling=50)

    def middle(self, what: Locator) -> Point:
        box = what.bounding_box()
        return Point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    def play_here(self) -> None:
        """Answers the dialog of a page whose seat is open in another tab."""
        self.page.get_by_role("button", name="Play here").click()

    def expect_live(self) -> None:
        expect(self.page.locator("#board")).to_have_attribute("aria-disabled", "false")

    def expect_nothing_unanswered(self) -> None:
        """Waits until the server has answered all actions; predicted results are drawn before that."""
        expect(self.page.locator("#board[data-unanswered]")).to_have_count(0)

    def expect_lost(self) -> None:
        """Waits until the page reports a lost connection and nothing can be played."""
        self.page.wait_for_function(
            "() => !document.getElementById('connection').hidden && document.querySelector('#board.inert')"
        )

    def expect_refusal(self, words: str) -> None:
        expect(self.page.locator("#refusal")).to_contain_text(words)

    def expect_note(self, words: str) -> None:
        expect(self.page.locator("#note")).to_contain_text(words)

    def expect_result(self, words: str) -> None:
        expect(self.page.locator("#result-text")).to_have_text(words)

    def expect_heard(self, *sentences: str) -> None:
        """Checks the screen-reader announcements since the newest view."""
        expect(self.page.locator("#announcement p")).to_have_text([*sentences])

    def expect_coach(self, words: str) -> None:
        """Checks what the coach says."""
        expect(self.page.locator("#coach")).to_contain_text(words)

    def intervene(self, what: str) -> None:
        """Performs a researcher's action in Progress on this participant: ``pause``, ``go_on`` …"""
        url, code = self.server.url, self.session.code
        form = self.page.request.get(f"{url}/SessionProgress/{code}").text()
        token = dict(re.findall(r'name="(\w+)" value="(\d+)"', form))
        fields = {**token, "what": what, "participants": self.session.participants[self.number]}
        assert self.page.request.post(f"{url}/cardlab/progress/{code}/do", form=fields).ok

    # ---------------------------------------------------------------- stored data

    def export(self, function: str = "custom_export") -> list[dict[str, Any]]:
        """Returns this participant's rows of an export, after all sent actions were answered."""
        self.expect_nothing_unanswered()
        text = self.server.export(self.session.code, app=self.app, function=function)
        code = self.session.participants[self.number]
        return [row for row in csv.DictReader(io.StringIO(text)) if row["participant_code"] == code]

    def results(self) -> tuple[list[str], list[list[str]]]:
        """Returns the figures of the results page (points, money, fee, earnings), and its table by row."""
        earnings = self.page.locator(".earnings dd").all_inner_texts()
        rows = [row.split("\t") for row in self.page.locator(".hands tbody tr").all_inner_texts()]
        return earnings, rows
