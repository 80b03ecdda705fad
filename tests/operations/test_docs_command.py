"""Tests ``lab.py docs`` without Sphinx: its warnings and a missing site."""

import subprocess

import pytest

from cardlab.operations import documentation
from cardlab.operations.terminal import Refusal


@pytest.fixture
def sphinx(project, monkeypatch):
    """Provides a fake Sphinx that writes a page, and ends with the exit code and messages set by a test."""

    class Sphinx:
        code, errors = 0, ""

        def run(self, command, **_options):
            folder = project / "docs" / "_build" / "html.part"
            folder.mkdir(parents=True)
            (folder / "index.html").write_text("new")
            return subprocess.CompletedProcess(command, self.code, "", self.errors)

    program = Sphinx()
    monkeypatch.setattr("cardlab.operations.documentation.install", lambda *_files, **_options: None)
    monkeypatch.setattr("cardlab.operations.documentation.subprocess.run", program.run)
    return program


def test_site_is_built_and_opened(sphinx, project, monkeypatch, capsys):
    opened = []
    monkeypatch.setattr("cardlab.operations.documentation.webbrowser.open", opened.append)
    assert documentation.missing_notice()
    assert documentation.build_and_open(type("Options", (), {"no_open": True})) == 0
    assert opened == []
    assert documentation.build_and_open(type("Options", (), {"no_open": False})) == 0
    assert opened == [(project / documentation.SITE / "index.html").as_uri()]
    assert "/docs" in capsys.readouterr().out
    assert documentation.missing_notice() == []


def test_warnings_are_shown_and_the_site_stays(sphinx, project):
    site = project / documentation.SITE
    site.mkdir(parents=True)
    (site / "index.html").write_text("former")
    sphinx.code = 1
    sphinx.errors = (
        f"\x1b[91m{project}/docs/a.md:3: WARNING: no target [myst.xref_missing]\x1b[39;49;00m\n" * 22
    )
    with pytest.raises(Refusal) as refusal:
        documentation.build(site)
    lines = str(refusal.value).splitlines()
    assert lines[1] == "docs/a.md:3: WARNING: no target [myst.xref_missing]"
    assert lines[-1] == "… and 2 more"
    assert (site / "index.html").read_text() == "former"
