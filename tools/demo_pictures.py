"""Takes the pictures of the boards on the demo page: _static/<game>/demo*.webp.

    .venv/bin/python tools/demo_pictures.py

Each shows a hand in progress as one participant sees it, so nothing hidden.
"""

from __future__ import annotations

import io
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from PIL import Image, ImageDraw  # the path of the project comes first
from playwright.sync_api import Page, sync_playwright
from screenshots import ROOT, WINDOW, Studio, find_browser, hand_of, hand_of_two
from server_fixture import LabServer

SIZE = (640, 400)
GROUND = "#2c3f48"  # of the boards (_static/cardlab/board.css)
CORNER = 40  # the radius of a board's corners
EDGE = 3  # what is cut off, because the page shines through it
QUALITY = 72
# The width of the window of boards that are too wide for a picture, px: their cards are larger then.
WIDTHS = {"matrix/demo": 1024, "triangle/demo": 1024, "solitario/demo": 900, "challenge/demo": 900}


class BoardStudio(Studio):
    """Photographs the board alone."""

    def photograph(self, name: str, path: str, prepare: Callable[[Page], object] = lambda page: None) -> None:
        """Takes a picture of the board, on a ground of its own colour."""
        self.sharp.add_cookies(self.context.cookies())  # the seat belongs to the browser that played
        with self.page(path, self.sharp) as page:
            page.set_viewport_size({**WINDOW, "width": WIDTHS.get(name, WINDOW["width"])})
            prepare(page)
            page.wait_for_timeout(500)
            board = Image.open(io.BytesIO(page.locator("#board").screenshot())).convert("RGB")
        corners = Image.new("L", board.size)
        width, height = board.size
        ImageDraw.Draw(corners).rounded_rectangle(
            ((EDGE, EDGE), (width - EDGE, height - EDGE)), CORNER, fill=255
        )
        board = Image.composite(board, Image.new("RGB", board.size, GROUND), corners)
        board.thumbnail(SIZE, Image.Resampling.LANCZOS)
        picture = Image.new("RGB", SIZE, GROUND)
        picture.paste(board, ((SIZE[0] - board.width) // 2, (SIZE[1] - board.height) // 2))
        file = ROOT / "_static" / f"{name}.webp"
        picture.save(file, quality=QUALITY, method=6)
        print(f"{file.relative_to(ROOT)}  {file.stat().st_size / 1000:.0f} kB", flush=True)


def main() -> None:
    """Takes all pictures."""
    with (
        tempfile.TemporaryDirectory() as folder,
        LabServer(Path(folder) / "card_lab") as server,
        sync_playwright() as playwright,
    ):
        program = os.environ.get("CARD_LAB_CHROMIUM") or find_browser()
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        studio = BoardStudio(server, browser)
        hand_of(studio, "ttt/demo", "ttt_demo", "ttt", 2)
        hand_of_two(studio, "ttt/demo_pair", "ttt_pair_demo", "ttt", 0, ViewCard="none")
        hand_of_two(studio, "matrix/demo", "matrix_two", "matrix", 3)
        hand_of(studio, "triangle/demo", "triangle_standard", "triangle", 12)
        hand_of(studio, "solitario/demo", "solitario_briscola", "solitario", 20)
        hand_of(studio, "challenge/demo", "challenge_standard", "challenge", 3)
        browser.close()


if __name__ == "__main__":
    main()
