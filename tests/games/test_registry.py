"""Tests that games are discovered by their folders, without a list."""

import sys

import pytest

from cardlab import games
from cardlab.games import registry


@pytest.fixture
def extra_games(tmp_path, monkeypatch):
    """Provides a folder whose packages are found as if they were in ``games``."""
    monkeypatch.setattr(games, "__path__", [*games.__path__, str(tmp_path)])
    for cached in (registry.games_by_name, registry.games_by_app):
        cached.cache_clear()
    yield tmp_path
    for cached in (registry.games_by_name, registry.games_by_app):
        cached.cache_clear()
    for name in [
        name for name in sys.modules if name.startswith(("cardlab.games.fresh", "cardlab.games.tools"))
    ]:
        del sys.modules[name]


def package(folder, name, **modules):
    (folder / name).mkdir()
    for module, source in modules.items():
        (folder / name / f"{module}.py").write_text(source, "utf-8")


def test_only_a_folder_with_rules_is_a_game(extra_games):
    before = {*registry.games_by_name()}
    registry.games_by_name.cache_clear()
    about = 'APPS = ("fresh_app", "fresh_pairs_app")\nTITLE = "Fresh"\n'
    package(
        extra_games,
        "fresh",
        __init__=about,
        rules="",
        measures="",
        performance="MEASURES = None",
        texts="ONE = 1",
    )
    package(extra_games, "tools", __init__="")
    assert {*registry.games_by_name()} == {*before, "fresh"}
    game = registry.games_by_name()["fresh"]
    assert (game.name, game.title, game.app) == ("fresh", "Fresh", "fresh_app")
    assert registry.games_by_app()["fresh_pairs_app"] is game
    assert game.load_module("texts").ONE == 1
