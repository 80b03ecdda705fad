"""Lays out Card Lab as an installed package, and oTree projects that use it, without building a wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import otree
from stages import clean_environment

from tools import build

TEMPLATE = Path(otree.__file__).parent / "assets" / "project_template"
# An app that a researcher wrote; its page has a long text.
OWN_APP = """
from otree.api import *

class C(BaseConstants):
    NAME_IN_URL, PLAYERS_PER_GROUP, NUM_ROUNDS = "own", None, 1

class Subsession(BaseSubsession): pass
class Group(BaseGroup): pass
class Player(BasePlayer):
    text = models.LongStringField()

class Own(Page):
    form_model, form_fields = "player", ["text"]

page_sequence = [Own]
"""
OWN_PAGE = """
{{ block title }}My page{{ endblock }}
{{ block content }}{{ formfields }}{{ next_button }}{{ endblock }}
"""
OWN_CONFIG = """
SESSION_CONFIGS = [dict(name="own", app_sequence=["own_app"], num_demo_participants=1)]
"""


def lay_out(folder: Path) -> Path:
    """Copies the files of the wheel into a folder like ``site-packages``; returns it."""
    return build.lay_out(folder)


def with_card_lab(site: Path) -> dict[str, str]:
    """Returns an environment in which Card Lab is installed in the folder ``site``."""
    return {**clean_environment(), "PYTHONPATH": str(site)}


def start_project(folder: Path) -> Path:
    """Makes a new oTree project with one app, as ``otree startproject`` does; returns its folder."""
    folder.mkdir()
    for path in TEMPLATE.rglob("*"):
        if path.is_file() and path.suffix != ".pyc":
            (folder / path.relative_to(TEMPLATE)).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.relative_to(TEMPLATE)).write_bytes(path.read_bytes())
    (folder / "own_app").mkdir()
    (folder / "own_app" / "__init__.py").write_text(OWN_APP, "utf-8")
    (folder / "own_app" / "Own.html").write_text(OWN_PAGE, "utf-8")
    with (folder / "settings.py").open("a", encoding="utf-8") as settings:
        settings.write(OWN_CONFIG)
    return folder


def cardlab(folder: Path, site: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Runs a ``cardlab`` command in a folder."""
    command = [sys.executable, "-m", "cardlab", *arguments]
    return subprocess.run(command, cwd=folder, env=with_card_lab(site), capture_output=True, text=True)
