"""Checks that every outcome of a hand is displayed in its own way (_static/cardlab/outcomes.js)."""

import re
from pathlib import Path

from cardlab.games.contract import OPEN, OUTCOMES

SCRIPT = Path(__file__).parents[1] / "_static" / "cardlab" / "outcomes.js"


def test_outcomes_have_kinds_and_kinds_have_signs():
    kinds, signs = re.findall(r"const \w+ = \{\n(.*?)\n\};", SCRIPT.read_text("utf-8"), re.DOTALL)
    kind_of = dict(re.findall(r'^  (\w+): "(\w+)",$', kinds, re.MULTILINE))
    assert kind_of.keys() == OUTCOMES.keys() - {OPEN}
    assert {*kind_of.values()} == {*re.findall(r"^  (\w+): '", signs, re.MULTILINE)}
    assert {name for name, kind in kind_of.items() if kind == "reached"} == {"solved", "won"}
    assert {name for name, kind in kind_of.items() if kind in ("time", "stopped")} == {
        name for name, outcome in OUTCOMES.items() if not outcome.is_regular and name != OPEN
    }
