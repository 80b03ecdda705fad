"""Renders the HTML file of a replay: the hands as JSON, and the boards of their games.

The boards are those that participants play on: markup from ``_templates/<game>/Board.html``, texts from
``cardlab/games/<game>/texts.py``, styles and scripts from ``_static/<game>/``, where ``board.js`` has the
class ``Board``. Scripts become ``data:`` URLs in an import map, and pictures ``data:`` URLs in a separate
module. The page loads nothing, and its content security policy enforces this.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from cardlab import folders
from cardlab.analysis.replay.steps import JsonObject
from cardlab.games.registry import games_by_name

FOLDER = Path(__file__).resolve().parent
STATIC = folders.OWN / "_static"

PICTURES = "cardlab/pictures.js"
TYPES = {".svg": "image/svg+xml", ".png": "image/png", ".jpg": "image/jpeg", ".gif": "image/gif"}

_IMPORT = re.compile(r'(?<=\bfrom )"(\.[^"]+)"|(?<=^import )"(\.[^"]+)"', re.MULTILINE)
_TRANS = re.compile(r"""\{\{ trans (["'])(.*?)\1 \}\}""")
_CARD = re.compile(r"(10|[1-9A-Z])[A-Za-z]")  # rank and suit, as in a deal
_PICTURE_PATH = re.compile(r"""\bpicture\(["'`]([a-z]+/[^"'`$]*)""")
_SLOT = re.compile(r"\{\{ (\w+) \}\}")


def render_page(hands: list[JsonObject]) -> str:
    """Returns the page of the hands, in this order. The same hands give the same text."""
    games = sorted({hand["game"] for hand in hands})
    first_hand = hands[0]
    parts = {
        "title": escape(f"Replay: {first_hand['label'] or first_hand['participant'] or first_hand['id']}"),
        "style": _read_text(STATIC / "cardlab" / "tokens.css")
        + _read_text(FOLDER / "page.css")
        + _read_text(FOLDER / "replay.css"),
        "import_map": _to_script_json({"imports": _load_modules(games, hands)}),
        "data": _to_script_json({"games": {name: _load_board(name) for name in games}, "hands": hands}),
        "script": _read_text(FOLDER / "replay.js"),
    }
    return _SLOT.sub(lambda slot: parts[slot[1]], _read_text(FOLDER / "replay.html"))


def _load_board(name: str) -> JsonObject:
    sheets = [
        STATIC / "cardlab" / f"{sheet}.css" for sheet in ("tokens", "frame", "cardlab", "board", "hand")
    ]
    sheets += [sheet for sheet in [STATIC / name / f"{name}.css"] if sheet.exists()]
    return {
        "markup": render_board(_read_text(folders.OWN / "_templates" / name / "Board.html")),
        "words": games_by_name()[name].load_module("texts").board_texts(),
        "style": "\n".join(map(_read_text, [FOLDER / "frame.css", *sheets])),
    }


def render_board(template: str) -> str:
    """Returns the board of an oTree template.

    Raises:
        ValueError: If the template has tags other than texts to translate.
    """
    board = _TRANS.sub(lambda text: escape(text[2]), template)
    if "{{" in board:
        raise ValueError(f"A board's template may contain only texts: {board[board.index('{{') :][:60]}")
    return board


def _load_modules(games: Iterable[str], hands: list[JsonObject]) -> dict[str, str]:
    """Returns the ``data:`` URL of each module that the boards need, by its path below ``_static``."""
    addresses: dict[str, str] = {}
    paths = [f"{name}/board.js" for name in games]
    while paths:
        path = paths.pop()
        if path not in addresses:
            source = _build_pictures_module(games, hands) if path == PICTURES else _read_text(STATIC / path)
            source, imported = _resolve_imports(source, path)
            addresses[path] = _data_url("text/javascript", source.encode())
            paths += imported
    return dict(sorted(addresses.items()))


def _resolve_imports(source: str, path: str) -> tuple[str, list[str]]:
    """Replaces the relative imports of a module by paths below ``_static``; also returns these paths."""
    imported: list[str] = []

    def resolve(relative: re.Match[str]) -> str:
        target = (STATIC / path).parent / (relative[1] or relative[2])
        imported.append(target.resolve().relative_to(STATIC).as_posix())
        return f'"{imported[-1]}"'

    return _IMPORT.sub(resolve, source), imported


def _build_pictures_module(games: Iterable[str], hands: list[JsonObject]) -> str:
    """Returns a module that replaces ``cardlab/pictures.js`` and contains the pictures.

    It has all shared cards, the card backs that the settings name, and the games' own pictures except cards
    that no deal has.
    """
    setting_values = {
        value for hand in hands for value in hand["settings"].values() if isinstance(value, str)
    }
    files = [path for folder in ("cards", "backs") for path in sorted((STATIC / folder).iterdir())]
    files = [path for path in files if path.parent.name == "cards" or {path.name, path.stem} & setting_values]
    dealt_cards = {card for hand in hands for card in hand["deal"].split()}
    own_paths = [path for name in games for path in sorted((STATIC / name).rglob("*"))]
    own_paths += [path for name in games for path in _borrowed_pictures(name)]
    files += [path for path in own_paths if path.stem in dealt_cards or not _CARD.fullmatch(path.stem)]
    pictures = {
        path.relative_to(STATIC).as_posix(): _data_url(TYPES[path.suffix], path.read_bytes())
        for path in files
        if path.suffix in TYPES
    }
    return (
        f"const PICTURES = new Map(Object.entries({_to_script_json(pictures)}));\n"
        'export const picture = (path) => PICTURES.get(path) ?? "data:,";\n'
    )


def _borrowed_pictures(name: str) -> list[Path]:
    """Returns the pictures of other games that the modules of a game use.

    ``picture("solitario/back.svg")`` is one picture, ``picture(`solitario/french/${card}.svg`)`` all pictures
    whose paths begin with the part before ``$``.
    """
    sources = "".join(map(_read_text, sorted((STATIC / name).glob("*.js"))))
    path_parts = [path.rpartition("/") for path in sorted(set(_PICTURE_PATH.findall(sources)))]
    return [
        path for folder, _bar, begin in path_parts for path in sorted((STATIC / folder).glob(f"{begin}*"))
    ]


def _data_url(kind: str, content: bytes) -> str:
    return f"data:{kind};base64,{b64encode(content).decode()}"


def _read_text(path: Path) -> str:
    return path.read_text("utf-8")


def _to_script_json(value: Any) -> str:
    """Returns JSON for a script element. Escapes ``<``, so that no recorded text can end the element."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
