"""Tests the built documentation: nothing is loaded from the internet, and the search works under /docs."""

from __future__ import annotations

import re
import resource
import shutil
from pathlib import Path
from urllib.parse import quote

import pytest
from player import DESK
from playwright.sync_api import expect

from cardlab.operations import documentation, project
from cardlab.operations.terminal import Refusal
from tests.pages_of_docs import DOCS, paths

SECONDS = 90  # of CPU time for the build; it takes about 50, more while other tests run on the same cores
# Typical searches, and the page that must be among the first three results.
QUESTIONS = {
    "How do I stop early and still pay everyone?": "how-to/end-early",
    "A participant's computer crashed, what now?": "how-to/replace-a-computer",
    "How many slots do I create for an online study?": "how-to/online-with-prolific",
    "How do I run two treatments in one session?": "how-to/two-treatments",
    "change setting after session is created": "how-to/create-a-session",
    "who is stuck": "how-to/watch-progress",
    "print start links": "how-to/seat-30-people",
    "show-up fee": "how-to/pay",
    "change language": "how-to/translate",
    "update database": "how-to/new-version",
    "partner disconnected": "how-to/handle-a-dropout",
    "excess_moves": "reference/data-target-the-two",
    "Where is the seed?": "how-to/create-a-session",
    "R": "how-to/export-data",
    "watch a hand again": "how-to/analyse-replay-a-hand",
    "sample size": "how-to/analyse-power",
    "How long does it take to write a game?": "tutorials/first-game",
    "own oTree project": "how-to/use-a-game-in-your-project",
    "reverse proxy with HTTPS": "how-to/host-on-a-server",
    "GDPR": "how-to/consent-and-screening",
}

FULL_SITE = pytest.mark.long("builds all pages; the last test builds one, and test_docs.py checks links")


@pytest.fixture(scope="module")
def sphinx() -> None:
    """Installs the packages of the documentation; skips the tests where this is impossible."""
    try:
        documentation.install("docs")
    except Refusal as refusal:
        pytest.skip(f"The packages of the documentation cannot be installed: {refusal}")


@pytest.fixture(scope="module")
def site(sphinx, tmp_path_factory) -> Path:
    """Provides the site, built from the pages with warnings as errors."""
    start = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    folder = documentation.build(tmp_path_factory.mktemp("docs") / "html")
    assert resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - start < SECONDS
    return folder


@FULL_SITE
def test_every_page_is_built(site):
    pages = [path.relative_to(DOCS) for path in paths()]
    assert [page for page in pages if not (site / page.with_suffix(".html")).is_file()] == []


@FULL_SITE
def test_nothing_comes_from_the_internet(site):
    """Links may point to the internet; styles, scripts, fonts and images may not."""
    loaded = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*\bsrc=["']?(?:https?:)?//[^"'> ]+""")
    kinds = "stylesheet|preload|icon|preconnect"
    linked = re.compile(rf"""<link\b(?=[^>]*\brel=["'](?:{kinds}))[^>]*href=["']?(?:https?:)?//""")
    in_styles = re.compile(r"""(?:@import|url\()\s*["']?(?:https?:)?//""")
    found = [
        (page.name, match[0])
        for page in site.rglob("*.html")
        for pattern in (loaded, linked)
        for match in pattern.finditer(page.read_text("utf-8"))
    ]
    found += [
        (style.name, match[0])
        for style in site.rglob("*.css")
        for match in in_styles.finditer(style.read_text("utf-8"))
    ]
    assert found == []


@FULL_SITE
def test_the_search_finds_a_page(site, own_server, browsers):
    shutil.copytree(site, own_server.folder / documentation.SITE, dirs_exist_ok=True)
    context = browsers.program.new_context(**DESK)
    page = context.new_page()
    outside: list[str] = []
    complaints: list[str] = []
    page.on("request", lambda request: outside.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{own_server.url}/demo")
    with context.expect_page() as opened:
        page.get_by_role("link", name="Help", exact=True).click()
    page = opened.value
    page.on("request", lambda request: outside.append(request.url))
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.goto(f"{own_server.url}/docs")
    expect(page.get_by_role("heading", level=1)).to_contain_text("Card Lab")
    page.keyboard.press("/")
    expect(page.get_by_placeholder("Search").first).to_be_focused()
    page.keyboard.type("keeper")
    page.keyboard.press("Enter")
    result = page.locator("#search-results li a").filter(has_text="Glossary").first
    expect(result).to_be_visible()
    result.click()
    expect(page).to_have_url(re.compile(r"/docs/reference/glossary\.html"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Glossary")
    assert [url for url in outside if not url.startswith((own_server.url, "data:"))] == []
    assert complaints == []
    context.close()


@FULL_SITE
def test_the_search_answers_questions(site, browsers):
    context = browsers.program.new_context(**DESK)
    page = context.new_page()
    for question, answer in QUESTIONS.items():
        page.goto(f"{(site / 'search.html').as_uri()}?q={quote(question)}")
        first = page.locator("#search-results ul.search > li:nth-child(-n+3) > a:first-of-type")
        expect(first.and_(page.locator(f"[href^='{answer}.html']")).first, question).to_be_visible(
            timeout=20_000
        )
    context.close()


def test_a_broken_link_fails_the_build(sphinx, tmp_path, monkeypatch):
    """The previous site stays, and the error names page and line."""
    folder = tmp_path / "project"
    for name in ("docs/conf.py", "docs/search_rank.js", "docs/_static", "cardlab/__init__.py"):
        source = project.FOLDER / name
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (shutil.copytree if source.is_dir() else shutil.copy)(source, folder / name)
    (folder / "docs" / "index.md").write_text("# Title\n\n[broken](no-such-page.md) and ![lost](lost.png)\n")
    site = folder / documentation.SITE
    site.mkdir(parents=True)
    (site / "index.html").write_text("former")
    monkeypatch.setattr(documentation, "install", lambda *_files, **_options: None)
    monkeypatch.setattr(
        documentation,
        "module_command",
        lambda module, *options, folder: [str(PYTHON), "-m", module, *options],
    )
    monkeypatch.setattr(project, "FOLDER", folder)
    with pytest.raises(Refusal) as refusal:
        documentation.build(site)
    assert "docs/index.md:3: WARNING" in str(refusal.value)
    assert "no-such-page.md" in str(refusal.value)
    assert "lost.png" in str(refusal.value)
    assert (site / "index.html").read_text() == "former"
    assert [path.name for path in site.parent.iterdir()] == ["html"]


PYTHON = documentation.module_command("sphinx", folder=documentation.VENV)[0]
