"""What browsers fetch once: hashed, compressed, put together; and only what is theirs."""

import gzip
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from experiment.bundles import NotUnderstood, of_modules, of_styles
from experiment.static_files import A_YEAR, ASK, StaticFiles

ROOT = Path(__file__).parents[2]
GZIP = {b"accept-encoding": b"gzip, deflate, br"}

MODULES = {
    "a/one.js": 'import { two as second,\n  three } from "./two.js";\nimport * as all from "../b/all.js";\n'
    'import "./two.js";\nsay(second() + three + all.four);\n',
    "a/two.js": "let times = 0;\nexport function two() {\n  return ++times;\n}\nexport const three = 3;\n",
    "b/all.js": 'import { two } from "../a/two.js";\nexport const four = two() '
    "+ new URL(import.meta.url).pathname;\n",
    "b/fails.js": 'export class Unused {}\nthrow new Error("one entry");\n',
    "a/round.js": 'import { about } from "../b/about.js";\nexport const round = about;\n',
    "b/about.js": 'import { round } from "../a/round.js";\nexport const about = round;\n',
    "a/default.js": "export default 3;\n",
}


@pytest.fixture
def files(tmp_path):
    """The files of two folders, the first of which has a style of the second again."""
    for path, text in {
        "mine/a/style.css": "body { color: red; }\n" * 50,
        "theirs/a/style.css": "body { color: blue; }",
        "theirs/b/style.css": "p { background: url(../cards/2H.svg); mask: url('data:image/png;base64,AA') }",
        "theirs/cards/2H.svg": "<svg/>",
        "theirs/draw.py": "secret",
        "theirs/.hidden": "secret",
        **{f"theirs/{path}": text for path, text in MODULES.items()},
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    return StaticFiles([tmp_path / "mine", tmp_path / "theirs"])


def test_a_page_names_what_a_browser_keeps(files):
    page = files.addressed(
        '<link rel="stylesheet" href="/static/a/style.css">\n'
        '<link rel="stylesheet" href="/static/b/style.css">\n'
        '<script>var js_vars = {"back": "/static/cards/2H.svg", "other": "/static/none.svg"};</script>\n'
        '<script type="module" id="one" src="/static/a/one.js" data-x="y"></script>\n<p>Text</p>'
        '<script type="module" src="/static/b/fails.js"></script></body>'
    )
    kept = f"/static/{files.digest}"
    assert page == (
        f'<link rel="stylesheet" href="{kept}/b/style.css?of=a/style.css,b/style.css">\n'
        f'<script>var js_vars = {{"back": "{kept}/cards/2H.svg", "other": "/static/none.svg"}};</script>\n'
        f'<script type="module" src="{kept}/b/fails.js?of=a/one.js,b/fails.js"></script>\n'
        '<script type="module" id="one"  data-x="y"></script>\n<p>Text</p></body>'
    )


def test_a_kept_file_is_compressed_for_who_can_read_it_and_kept_for_a_year(files):
    reply = files.reply(f"{files.digest}/a/style.css", "", GZIP)
    headers = dict(reply.headers)
    assert (reply.status, headers[b"cache-control"], headers[b"content-encoding"]) == (200, A_YEAR, b"gzip")
    assert gzip.decompress(reply.body).startswith(b"body { color: red; }")
    assert int(headers[b"content-length"]) == len(reply.body) < 200
    plain = files.reply(f"{files.digest}/a/style.css", "", {})
    assert b"content-encoding" not in dict(plain.headers)
    assert dict(plain.headers)[b"content-type"] == b"text/css; charset=utf-8"
    assert plain.body == gzip.decompress(reply.body)


def test_a_plain_address_is_asked_for_again_and_answered_that_nothing_has_changed(files):
    first = files.reply("cards/2H.svg", "", GZIP)
    assert (first.status, first.body, dict(first.headers)[b"cache-control"]) == (200, b"<svg/>", ASK)
    again = files.reply("cards/2H.svg", "", {b"if-none-match": dict(first.headers)[b"etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *(("draw.py", ""), (".hidden", ""), ("none.js", ""), ("../settings.py", ""), ("\0", ""), ("", "")),
        *(("{}/none.js", ""), ("{}/a/one.js", "of=a/one.js,b/none.js"), ("{}/a/one.js", "of=b/all.js")),
        *(("{}/a/one.js", "x"), ("{}/a/round.js", "of=a/round.js"), ("0123/a/one.js", "")),
        *(("{}/cards/2H.svg", "of=draw.py,cards/2H.svg"), ("{}/b", "of=b")),
    ],
)
def test_what_is_not_there_is_left_to_otree_which_does_not_find_it(files, path, query):
    assert files.reply(path.format(files.digest), query, {}) is None


def test_another_content_has_another_address(files, tmp_path):
    (tmp_path / "mine" / "a" / "style.css").write_text("body {}", "utf-8")
    assert StaticFiles([tmp_path / "mine", tmp_path / "theirs"]).digest != files.digest


def test_styles_find_their_pictures_from_anywhere():
    styles = {"a/x.css": "a{}", "b/y.css": "b{background:url(../cards/2H.svg) url(data:x) url(#y)}"}
    told = of_styles(list(styles), styles.__getitem__, "/kept/{}".format)
    assert told == 'a{}\nb{background:url("/kept/cards/2H.svg") url(data:x) url(#y)}'


def test_modules_together_do_what_they_do_apart(tmp_path):
    """Each runs once, what it exports is one thing for all, and an entry that fails stops no other."""
    node = shutil.which("node")
    together = of_modules(["b/fails.js", "a/one.js"], MODULES.__getitem__, "/kept/{}".format)
    assert together.count("let times") == 1
    assert not re.search(r"^(import|export)\b", together, re.MULTILINE)
    if node is None:
        pytest.skip("no Node.js")
    begin = (
        'const location = { origin: "http://x" }, said = [], say = (what) => said.push(what);\n'
        "const reportError = (error) => said.push(error.message);\n"
    )
    (tmp_path / "all.mjs").write_text(f"{begin}{together}\nconsole.log(said.join());", "utf-8")
    told = subprocess.run([node, tmp_path / "all.mjs"], capture_output=True, text=True, check=True)
    assert told.stdout == "one entry,51/kept/b/all.js\n"


@pytest.mark.parametrize("entry", ["a/round.js", "a/default.js"])
def test_what_is_not_understood_is_said(entry):
    with pytest.raises(NotUnderstood, match=entry):
        of_modules([entry], MODULES.__getitem__, str)


ENTRIES = sorted(
    path.relative_to(ROOT / "_static").as_posix()
    for path in (ROOT / "_static").glob("*/*.js")
    if path.stem
    in ("play", "tutorial", "waiting", "goes_on", "kiosk", "welcome", "analyse", "results", "examples")
)


def test_all_modules_of_card_lab_are_understood():
    assert len(ENTRIES) > 10
    read = lambda path: (ROOT / "_static" / path).read_text("utf-8")  # noqa: E731
    assert len(of_modules(ENTRIES, read, str)) > 10_000
