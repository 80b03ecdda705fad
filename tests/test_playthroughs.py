"""Compares golden playthroughs, which are whole hands as text, line by line.

``tests/playthroughs/<game>/*.txt`` are played with ``cardlab/games/<game>/rules.py``; a new game only adds a
folder. You write a playthrough by hand as a heading and actions::

    # what it shows
    deal: 3H 2C 2H 4C 4H 3C | 2H | ck
    options: {"ViewCard": "mix"}
    seconds: 9.5
    > solo U
    > solo look nk

``seconds`` is the hand's length, for the score. Lines with ``#`` may appear anywhere. Then

    python -m tests.test_playthroughs

writes the result after each action: the refusal, or every seat's view and legal actions. Also run it after an
intended change of the rules, and read the difference before keeping it.
"""

import importlib
import json
from pathlib import Path

import pytest

from cardlab.games.contract import IllegalAction

HERE = Path(__file__).parent
FOLDER = HERE / "playthroughs"
PLAYTHROUGHS = sorted(FOLDER.glob("*/*.txt"))
HEADING = ("deal", "options", "seconds")


def replay(script, rules):
    """Returns the full text of a playthrough, given one that may consist of only heading and actions."""
    lines = [line for line in script.splitlines() if line.startswith(("#", "> ", *HEADING))]
    heading = dict(line.split(": ", 1) for line in lines if line.startswith(HEADING))
    start = next((i for i, line in enumerate(lines) if line.startswith("> ")), len(lines))
    state = rules.start(heading["deal"], json.loads(heading["options"]))
    text = [*lines[:start], "", *sight(rules, state)]
    for line in lines[start:]:
        text += [line] if text[-1].startswith("#") else ["", line]
        if line.startswith("#"):
            continue
        seat, action = line.removeprefix("> ").split(" ", 1)
        try:
            state = rules.apply(state, seat, action)
        except IllegalAction as refused:
            text.append(f"  refused  {refused}")
        else:
            text += sight(rules, state)
    text += ["", f"is over: {as_json(rules.is_over(state))}"]
    for seat in rules.seats(state):
        result = rules.result(state, seat, float(heading["seconds"]))
        text.append(f"{seat} has {result.score}, {result.outcome}, {as_json(result.parts)}")
    return "\n".join(text) + "\n"


def sight(rules, state):
    """Returns every seat's view and legal actions, one line each."""
    lines = []
    for seat in rules.seats(state):
        lines += [f"  {seat} sees {key}  {as_json(value)}" for key, value in rules.view(state, seat).items()]
        lines.append(f"  {seat} may  {as_json(rules.legal_actions(state, seat))}")
    return lines


def as_json(value):
    return json.dumps(value, ensure_ascii=False)


def rules_of(path):
    return importlib.import_module(f"cardlab.games.{path.parent.name}.rules")


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_hand_equals_its_playthrough(path):
    written = path.read_text(encoding="utf-8")
    assert replay(written, rules_of(path)).splitlines() == written.splitlines()


def test_every_game_has_playthroughs():
    games = {path.parent.name for path in HERE.parent.glob("cardlab/games/*/rules.py")}
    assert games == {path.parent.name for path in PLAYTHROUGHS}


if __name__ == "__main__":
    for playthrough in PLAYTHROUGHS:
        script = playthrough.read_text(encoding="utf-8")
        playthrough.write_text(replay(script, rules_of(playthrough)), encoding="utf-8", newline="\n")
        print(f"{playthrough.relative_to(HERE)} is written.")
