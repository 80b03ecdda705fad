"""Takes the pictures of the documentation again: docs/_images/*.png.

    .venv/bin/python tools/screenshots.py             all of them, in about two minutes
    .venv/bin/python tools/screenshots.py progress    those whose names begin with this

Starts a server in a temporary folder, creates sessions, lets simulated participants play, and photographs
the pages with Chromium (``CARD_LAB_CHROMIUM`` names another one).
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import os
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from PIL import Image  # noqa: E402  # the path of the project comes first
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright  # noqa: E402
from server_fixture import LabServer, LabSession  # noqa: E402
from system_packages import find_browser  # noqa: E402
from tabs import Tab, Visitor  # noqa: E402

from cardlab.games.registry import games_by_name  # noqa: E402
from cardlab.rehearsal.cohort import Cohort  # noqa: E402
from cardlab.rehearsal.figures import Figures  # noqa: E402
from cardlab.rehearsal.forms import Answers  # noqa: E402

IMAGES = ROOT / "docs" / "_images"
EXAMPLE = ROOT / "docs" / "example" / "actions.csv"
CHALLENGE_DEAL = "JS AH QH KC JC AD KD 9D | KS QS KH 10H AC QC QD JD | participant"
WINDOW = {"width": 1280, "height": 720}
COLOURS = 128  # of the palette of a picture
LAB_PLACES = 12  # participants of the sessions that researchers look at


def save(png: bytes, name: str) -> None:
    """Writes a picture with a palette, which is a third of the size."""
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    picture = picture.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
    IMAGES.mkdir(exist_ok=True)
    picture.save(IMAGES / f"{name}.png", optimize=True)
    print(f"{name}.png  {(IMAGES / f'{name}.png').stat().st_size / 1000:.0f} kB", flush=True)


# Emoji are decoration, and this machine may have no font for them.
WITHOUT_EMOJI = r"""() => {
    const EMOJI = /[\u{1F000}-\u{1FAFF}\u{2600}-\u{265F}\u{2667}\u{2669}-\u{27BF}\uFE0F]/gu;
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const text = walker.currentNode;
        text.data = text.data.replace(EMOJI, "");
    }
}"""


def screenshot(page: Page) -> bytes:
    """Returns a picture of the window."""
    if "/p/" not in page.url:
        page.evaluate(WITHOUT_EMOJI)
    return page.screenshot()


class Studio:
    """A server, a browser, and what both need to photograph pages."""

    def __init__(self, server: LabServer, browser: Browser) -> None:
        self.server = server
        self.context = browser.new_context(viewport=WINDOW, reduced_motion="reduce")
        self.sharp = browser.new_context(viewport=WINDOW, device_scale_factor=2)  # for figures
        cookies = [{"name": n, "value": v, "url": server.url} for n, v in server.browser.items()]
        self.context.add_cookies(cookies)
        self._finished: LabSession | None = None

    @contextlib.contextmanager
    def page(self, path: str, context: BrowserContext | None = None) -> Iterator[Page]:
        """A page of the server, or a file, which is closed afterwards."""
        page = (context or self.context).new_page()
        page.goto(path if "://" in path else self.server.url + path)
        page.wait_for_load_state("networkidle")
        yield page
        page.close(run_before_unload=False)

    def photograph(self, name: str, path: str, prepare: Callable[[Page], object] = lambda page: None) -> None:
        """Takes a picture of a page, of its first 720 pixels."""
        with self.page(path) as page:
            prepare(page)
            page.wait_for_timeout(300)
            save(screenshot(page), name)

    def rehearse(self, session: LabSession, human: bool = False, seconds: float | None = None) -> None:
        """Lets simulated participants play a session, to the end or for so many seconds."""

        async def play() -> None:
            arrive = 10.0 if human else 0.0
            cohort = Cohort(human, "1", arrive, Figures(), Answers(), action=1.0, reading=2.0)
            await cohort.play(session.start_urls, seconds)

        # Playwright keeps an event loop running in this thread.
        thread = threading.Thread(target=asyncio.run, args=(play(),))
        thread.start()
        thread.join()

    @property
    def finished(self) -> LabSession:
        """A session of two treatments that all participants have played to the end."""
        if self._finished is None:
            fields = {"MaxRounds": "12", "practice_hands": 0, "check": False}
            self._finished = self.server.create_session("ttt_pay_moves_time", LAB_PLACES, **fields)
            for number, code in enumerate(self._finished.participants, 1):
                self.server.set_label(code, f"PC{number:02}")
            self.rehearse(self._finished)
        return self._finished


# ------------------------------------------------------------------ what participants see


def play(tab: Tab, game: str, actions: int, seed: int) -> None:
    """Plays some actions as a simulated participant would."""
    policy = games_by_name()[game].load_module("strategies").new_view_policy(Random(seed))
    for _action in range(actions):
        action = policy(tab.state["view"])
        if tab.state["over"] is not None or action is None:
            return
        tab.act(action)


def hand_of(studio: Studio, name: str, config: str, game: str, actions: int, **fields: object) -> None:
    """Takes a picture of a hand of one participant in progress."""
    session = studio.server.create_session(config, 1, check=False, **fields)
    with Visitor(studio.server, session.participants[0]).sit_down() as tab:
        play(tab, game, actions, 3)
    studio.photograph(name, session.start_urls[0], wait_for_board)


def hand_of_two(studio: Studio, name: str, config: str, game: str, rounds: int, **fields: object) -> None:
    """Takes a picture of a hand of two participants in progress, as the first one sees it."""
    session = studio.server.create_session(config, 2, check=False, **fields)
    visitors = [Visitor(studio.server, code) for code in session.participants]
    for visitor in visitors:
        visitor.walk_to("Gather", "Hand")
    tabs = [visitor.sit_down() for visitor in visitors]
    policies = [games_by_name()[game].load_module("strategies").new_view_policy(Random(n)) for n in (1, 2)]
    for _round in range(rounds):
        for tab, policy in zip(tabs, policies):
            with contextlib.suppress(AssertionError):  # the other player's move had not arrived yet
                if action := policy(tab.state["view"]):
                    tab.act(action)
    with contextlib.ExitStack() as stack:
        stack.enter_context(tabs[1])
        tabs[0].close()
        studio.photograph(name, session.start_urls[0], wait_for_board)


def wait_for_board(page: Page) -> None:
    """Waits until the board is there and nothing moves."""
    expect(page.locator("#board")).to_be_visible()
    page.wait_for_function("() => document.getAnimations().length === 0", polling=50)


def hand_target(studio: Studio) -> None:
    hand_of(studio, "hand-target", "ttt_demo", "ttt", 2)


def readme_hand(studio: Studio) -> None:
    session = studio.server.create_session("ttt_demo", 1)
    with Visitor(studio.server, session.participants[0]).sit_down() as tab:
        tab.play("CT")
    with studio.page(session.start_urls[0]) as page:
        wait_for_board(page)
        save(page.locator("#board").screenshot(), "readme-hand")


# ------------------------------------------------------------------ what researchers see


def progress(studio: Studio) -> None:
    """The tab while a session is played."""
    session = studio.server.create_session("ttt_pay_moves_time", LAB_PLACES, check=False, practice_hands=0)
    for number, code in enumerate(session.participants, 1):
        studio.server.set_label(code, f"PC{number:02}")

    def some(first: int, last: int) -> LabSession:
        return LabSession(session.code, session.participants[first:last], session.start_urls[first:last])

    studio.rehearse(some(0, 1), True, 12)  # this participant then leaves
    thread = threading.Thread(target=studio.rehearse, args=(some(1, LAB_PLACES - 1), True, 45))
    thread.start()
    with studio.page(f"/SessionProgress/{session.code}") as page:
        page.wait_for_timeout(30_000)
        save(screenshot(page), "progress")
    thread.join()


def payments(studio: Studio) -> None:
    studio.photograph("payments", f"/SessionPayments/{studio.finished.code}")


# ------------------------------------------------------------------ what the analysis draws


def analyse(*arguments: str) -> None:
    """Runs a command of the analysis on the example data."""
    command = [sys.executable, "-m", "cardlab.analysis", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def report(studio: Studio) -> None:
    """The page of a report, and two of its figures."""
    with tempfile.TemporaryDirectory() as folder:
        analyse("report", str(EXAMPLE), "--out", folder, "--by", "treatment")

        def to_figures(page: Page) -> None:
            page.get_by_role("link", name="From hand to hand").first.click()

        studio.photograph("report", Path(folder, "report.html").as_uri(), to_figures)
        for figure, name in {"learning_curves": "figure-learning", "routes": "readme-result"}.items():
            with studio.page(Path(folder, f"{figure}.svg").as_uri(), studio.sharp) as page:
                save(page.locator("svg").first.screenshot(), name)


def replay(studio: Studio) -> None:
    with tempfile.TemporaryDirectory() as folder:
        analyse("replay", str(EXAMPLE), "--participant", "s7k6r60r", "-o", f"{folder}/replay.html")
        page_file = Path(folder, "replay.html").as_uri()
        studio.photograph("replay", page_file, lambda page: page.keyboard.press("ArrowRight"))


def board(studio: Studio) -> None:
    """The analysis board with a deal of Challenge and a variation."""
    command = [sys.executable, "-m", "cardlab.analysis", "board", "--no-open", CHALLENGE_DEAL]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().split()[-1]

        def play(page: Page) -> None:
            # The best move is chosen at first; Enter plays it. Another answer is a variation.
            for moves in ("", "", "", "<", "v"):
                expect(page.locator("#computing")).to_have_text("", timeout=60_000)
                for key in {"": ["Enter"], "<": ["ArrowLeft"], "v": ["ArrowDown", "Enter"]}[moves]:
                    page.keyboard.press(key)
                page.wait_for_timeout(300)
            expect(page.locator("#computing")).to_have_text("", timeout=60_000)

        studio.photograph("board", address, play)
        process.terminate()


ALL = {
    "readme-hand": readme_hand,
    "hand-target": hand_target,
    "progress": progress,
    "payments": payments,
    "report": report,
    "figure-learning": report,
    "readme-result": report,
    "replay": replay,
    "board": board,
}


def main(prefixes: list[str]) -> None:
    sessions = dict.fromkeys(
        take for name, take in ALL.items() if not prefixes or name.startswith(tuple(prefixes))
    )
    program = os.environ.get("CARD_LAB_CHROMIUM") or find_browser()
    with (
        tempfile.TemporaryDirectory() as folder,
        LabServer(Path(folder) / "card_lab", environment={"CARD_LAB_NAME": "lab-server"}) as server,
        sync_playwright() as playwright,
    ):
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        studio = Studio(server, browser)
        for take in sessions:
            take(studio)
        browser.close()


if __name__ == "__main__":
    main(sys.argv[1:])
