"""Tests that the record of a hand is folded once, however many measures are computed from it."""

import csv
from collections import Counter
from functools import cache

import pytest
from harnesses import GAMES

from cardlab.analysis import baselines
from cardlab.analysis.commands import main
from cardlab.games.events import END
from cardlab.games.hand import Hand
from cardlab.games.registry import games_by_name


@pytest.fixture
def counts(monkeypatch):
    """Counts how often a hand is begun and an action applied."""
    counts = Counter()
    begin, go_on = Hand.__init__, Hand.after

    def begun(self, *arguments):
        counts["hands"] += 1
        begin(self, *arguments)

    def after(self, event):
        counts["actions"] += event.accepted is True and not event.action.startswith(END)
        return go_on(self, event)

    monkeypatch.setattr(Hand, "__init__", begun)
    monkeypatch.setattr(Hand, "after", after)
    # A baseline's strategy plays the same deals again, which needs further folds.
    for game in games_by_name().values():
        monkeypatch.setattr(game.performance, "baselines", {})
    baselines._participant_means.cache_clear()
    yield counts
    baselines._participant_means.cache_clear()  # other tests simulate the same hands, and expect baselines


@pytest.fixture(scope="module")
def table_of(tmp_path_factory):
    """Returns a function from a game's name to the file of a small simulated session, made once."""

    @cache
    def made(game):
        table = tmp_path_factory.mktemp(game) / "actions.csv"
        settings = GAMES[game].harness.SIMULATED[""].get("settings", {})
        small = [word for name, value in settings.items() for word in ("--set", f"{name}={value}")]
        asked = ["simulate", game, "--participants", "4", "--hands", "2", *small]
        assert main([*asked, "-o", str(table)]) == 0
        return table

    return made


@pytest.mark.parametrize("game", games_by_name())
@pytest.mark.parametrize("command", ["hands", "report", "replay"])
def test_each_hand_is_folded_once(game, command, table_of, counts, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(
        "cardlab.analysis.report.write.render_svg", lambda _drawing: "<svg/>"
    )  # plots are drawn from tables
    table, out = table_of(game), tmp_path / "out"
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    hands = {row["hand_id"] for row in rows}
    verbs = [row["action"].split()[0] for row in rows if row["accepted"] == "1"]
    actions = len(verbs) - verbs.count("deal") - verbs.count("end")
    person = next(row["participant_code"] for row in rows if row["participant_code"])
    more = {
        "hands": ["-o", str(out)],
        "report": ["--out", str(out), "--no-search"],
        "replay": ["--participant", person, "-o", str(out)],
    }
    counts.clear()
    assert main([command, str(table), *more[command]]) == 0, capsys.readouterr().err
    assert (counts["hands"], counts["actions"]) == (len(hands), actions)
