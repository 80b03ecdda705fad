"""Finds the files of the board's page: its own, and those of the participants' boards.

A table is a separate document in a frame, so that the keys, gestures and styles of a board work there as they
do for a participant.
"""

import json
from html import escape
from pathlib import Path

from cardlab import folders
from cardlab.analysis.replay.page import STATIC, render_board
from cardlab.games.contract import BadFile
from cardlab.games.registry import Game

FOLDER = Path(__file__).resolve().parent
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".webp": "image/webp",
    ".jpg": "image/jpeg",
    ".gif": "image/gif",
}
OWN_FILES = ("board.html", "board.css", "board.js", "table.js")
REPLAY_FILES = ("page.css", "frame.css")
STYLE_SHEETS = ("tokens", "frame", "cardlab", "board", "hand")

_TABLE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<link rel="stylesheet" href="frame.css">
{sheets}
<script id="words" type="application/json">{words}</script>
<script type="module" src="table.js"></script>
</head>
<body data-game="{name}">
<div class="otree-body container"><div class="hand"><div class="board-frame">{board}</div></div></div>
</body>
</html>
"""


def check_files() -> None:
    """Raises BadFile if the files of the participants' boards are missing."""
    if not (STATIC / "cardlab" / "board.js").is_file():
        raise BadFile(
            str(STATIC),
            "The boards of the games are not here. Run this command in the folder of Card Lab, "
            "with --help to see its options.",
        )


def find_file(path: str) -> Path | None:
    """Returns the file for a path of the page; None if there is none or the page may not load it."""
    if path in OWN_FILES:
        return FOLDER / path
    if path in REPLAY_FILES:
        return FOLDER.parent / "replay" / path
    if not path.startswith("static/"):
        return None
    file = (STATIC / path.removeprefix("static/")).resolve()
    is_ours = file.is_relative_to(STATIC) and file.suffix in TYPES and file.is_file()
    return file if is_ours else None


def render_table(game: Game) -> str:
    """Returns the document with the board of a game."""
    names = [f"cardlab/{sheet}.css" for sheet in STYLE_SHEETS] + [f"{game.name}/{game.name}.css"]
    sheets = [f'<link rel="stylesheet" href="static/{name}">' for name in names if (STATIC / name).exists()]
    words = json.dumps(game.load_module("texts").board_texts(), ensure_ascii=False)
    template = (folders.OWN / "_templates" / game.name / "Board.html").read_text("utf-8")
    return _TABLE.format(
        title=escape(game.title),
        sheets="\n".join(sheets),
        words=words.replace("<", "\\u003c"),
        name=escape(game.name),
        board=render_board(template),
    )
