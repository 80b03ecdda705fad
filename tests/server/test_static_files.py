"""Tests static files: hashed addresses, compression, bundles and access."""

import asyncio
import gzip
import re
import shutil
import subprocess
from itertools import permutations
from pathlib import Path

import pytest

from cardlab.server import static_files
from cardlab.server.module_bundle import UnsupportedSyntax, bundle_modules, bundle_styles
from cardlab.server.static_files import CACHE_ONE_YEAR, REVALIDATE, StaticFiles, StaticLayer

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
    """Provides the files of two folders; a style sheet of the first overrides one of the second."""
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
    return served(tmp_path)


def served(folder, secret="secret key"):
    return StaticFiles([folder / "mine", folder / "theirs"], secret)


SCRIPTS = ("a/one.js", "b/fails.js", "a/two.js", "b/all.js")


def named_by_a_page(files, *paths):
    """Returns the path and query of a bundle, as in a page."""
    tags = "".join(f'<script type="module" src="/static/{path}"></script>\n' for path in paths)
    return re.search(r'src="/static/([^"?]+)\?([^"]+)"', files.with_cached_addresses(tags)).groups()


def test_a_page_links_to_cached_addresses(files):
    page = files.with_cached_addresses(
        '<link rel="stylesheet" href="/static/a/style.css">\n'
        '<link rel="stylesheet" href="/static/b/style.css">\n'
        '<script>var js_vars = {"back": "/static/cards/2H.svg", "other": "/static/none.svg"};</script>\n'
        '<script type="module" id="one" src="/static/a/one.js" data-x="y"></script>\n<p>Text</p>'
        '<script type="module" src="/static/b/fails.js"></script></body>'
    )
    kept = f"/static/{files.digest}"
    assert re.sub("~[0-9a-f]{24}", "~SIGNED", page) == (
        f'<link rel="stylesheet" href="{kept}/b/style.css?of=a/style.css,b/style.css~SIGNED">\n'
        f'<script>var js_vars = {{"back": "{kept}/cards/2H.svg", "other": "/static/none.svg"}};</script>\n'
        f'<script type="module" src="{kept}/b/fails.js?of=a/one.js,b/fails.js~SIGNED"></script>\n'
        '<script type="module" id="one"  data-x="y"></script>\n<p>Text</p></body>'
    )


def test_static_file_is_compressed_and_cached_for_years(files):
    reply = files.reply(f"{files.digest}/a/style.css", "", GZIP)
    headers = dict(reply.headers)
    assert (reply.status, headers[b"cache-control"], headers[b"content-encoding"]) == (
        200,
        CACHE_ONE_YEAR,
        b"gzip",
    )
    assert gzip.decompress(reply.body).startswith(b"body { color: red; }")
    assert int(headers[b"content-length"]) == len(reply.body) < 200
    plain = files.reply(f"{files.digest}/a/style.css", "", {})
    assert b"content-encoding" not in dict(plain.headers)
    assert dict(plain.headers)[b"content-type"] == b"text/css; charset=utf-8"
    assert plain.body == gzip.decompress(reply.body)


def test_a_plain_address_is_revalidated(files):
    first = files.reply("cards/2H.svg", "", GZIP)
    assert (first.status, first.body, dict(first.headers)[b"cache-control"]) == (200, b"<svg/>", REVALIDATE)
    again = files.reply("cards/2H.svg", "", {b"if-none-match": dict(first.headers)[b"etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "query"),
    [
        *(("draw.py", ""), (".hidden", ""), ("none.js", ""), ("../settings.py", ""), ("\0", ""), ("", "")),
        *(("{}/none.js", ""), ("0123/a/one.js", ""), ("0123/a/one.js", "of=a/one.js")),
    ],
)
def test_a_missing_file_is_left_to_otree(files, path, query):
    assert files.reply(path.format(files.digest), query, {}) is None


def test_changed_content_gets_another_address(files, tmp_path):
    (tmp_path / "mine" / "a" / "style.css").write_text("body {}", "utf-8")
    assert served(tmp_path).digest != files.digest


def test_a_signed_bundle_is_served(files):
    path, query = named_by_a_page(files, "a/two.js", "b/all.js")
    reply = files.reply(path, query, {})
    assert (reply.status, dict(reply.headers)[b"cache-control"]) == (200, CACHE_ONE_YEAR)
    assert b"export" not in reply.body


def test_unsigned_bundles_are_not_built(files, monkeypatch):
    """A browser may request files in any order, existing or not."""
    path, query = named_by_a_page(files, *SCRIPTS)
    signature = query.rpartition("~")[2]
    built = []
    monkeypatch.setattr(static_files.module_bundle, "bundle_modules", lambda paths, *_: built.append(paths))
    others = [order for order in permutations(SCRIPTS) if order != SCRIPTS]
    queries = [f"of={','.join(order)}{end}" for order in others for end in ("", "~", f"~{signature}", "~é")]
    queries += ["of=draw.py,b/all.js", "of=b/all.js", "of=~", "x", "of=a/none.js~0"]
    for query in queries:
        assert (
            files.reply(f"{files.digest}/{query.partition('~')[0].rpartition(',')[2]}", query, {}).status
            == 404
        )
        assert files.bundle_to_build(path, query) is None
    assert built == []


def test_a_bundle_is_found_after_a_restart(files, tmp_path):
    path, query = named_by_a_page(files, "a/two.js", "b/all.js")
    assert served(tmp_path).reply(path, query, {}) == files.reply(path, query, {})
    assert served(tmp_path, "another secret key").reply(path, query, {}).status == 404


def test_a_bundle_is_built_once_in_a_thread(files, tmp_path, monkeypatch):
    path, query = named_by_a_page(files, "a/two.js", "b/all.js")
    builds, join = [], static_files.module_bundle.bundle_modules

    def bundle_outside_of_the_loop(*arguments):
        with pytest.raises(RuntimeError):
            asyncio.get_running_loop()
        builds.append(arguments)
        return join(*arguments)

    monkeypatch.setattr(static_files.module_bundle, "bundle_modules", bundle_outside_of_the_loop)

    async def ask_64_times():
        server, answers = StaticLayer(), []
        server.files = served(tmp_path)

        async def send(message):
            answers.append(message.get("status"))

        scope = {"path": f"/static/{path}", "method": "GET", "query_string": query.encode(), "headers": []}
        await asyncio.gather(*(server.answer(scope, send) for _ in range(64)))
        return answers

    assert asyncio.run(ask_64_times()).count(200) == 64
    assert len(builds) == 1


def test_the_number_of_bundles_is_limited(files, monkeypatch):
    monkeypatch.setattr(static_files, "MAX_BUNDLES", 3)
    for order in permutations(SCRIPTS):
        assert files.reply(*named_by_a_page(files, *order), {}).status == 200
    assert len(files._bundles) == 3


def test_addresses_in_bundled_styles_are_absolute():
    styles = {"a/x.css": "a{}", "b/y.css": "b{background:url(../cards/2H.svg) url(data:x) url(#y)}"}
    bundle = bundle_styles(list(styles), styles.__getitem__, "/kept/{}".format)
    assert bundle == 'a{}\nb{background:url("/kept/cards/2H.svg") url(data:x) url(#y)}'


def test_bundled_modules_do_the_same(tmp_path):
    """Each module runs once, its exports are shared, and a failing entry stops no other."""
    node = shutil.which("node")
    together = bundle_modules(["b/fails.js", "a/one.js"], MODULES.__getitem__, "/kept/{}".format)
    assert together.count("let times") == 1
    assert not re.search(r"^(import|export)\b", together, re.MULTILINE)
    if node is None:
        pytest.skip("no Node.js")
    begin = (
        'const location = { origin: "http://x" }, said = [], say = (what) => said.push(what);\n'
        "const reportError = (error) => said.push(error.message);\n"
    )
    (tmp_path / "all.mjs").write_text(f"{begin}{together}\nconsole.log(said.join());", "utf-8")
    done = subprocess.run([node, tmp_path / "all.mjs"], capture_output=True, text=True, check=True)
    assert done.stdout == "one entry,51/kept/b/all.js\n"


@pytest.mark.parametrize("entry", ["a/round.js", "a/default.js"])
def test_unsupported_syntax_is_named(entry):
    with pytest.raises(UnsupportedSyntax, match=entry):
        bundle_modules([entry], MODULES.__getitem__, str)


ENTRIES = sorted(
    path.relative_to(ROOT / "_static").as_posix()
    for path in (ROOT / "_static").glob("*/*.js")
    if path.stem
    in ("play", "tutorial", "waiting", "goes_on", "kiosk", "welcome", "analyse", "results", "examples")
)


def test_all_modules_can_be_bundled():
    assert len(ENTRIES) > 10
    read = lambda path: (ROOT / "_static" / path).read_text("utf-8")  # noqa: E731
    assert len(bundle_modules(ENTRIES, read, str)) > 10_000
