"""The comprehension check keeps every attempt, but not those that a script sends without end."""

import json
from types import SimpleNamespace

from golden_session import APPS

from experiment.pages import MOST_ATTEMPTS


def test_of_very_many_attempts_the_first_and_the_last_are_kept():
    check = APPS["ttt"].Check
    fields = [question.field for question in check.questions()]
    player = SimpleNamespace(check_attempts="")
    for number in range(MOST_ATTEMPTS + 50):
        assert "Not everything is right" in check.error_message(player, dict.fromkeys(fields, f"{number}"))
    kept = [json.loads(line)[1][fields[0]] for line in player.check_attempts.splitlines()]
    assert kept == [*map(str, range(MOST_ATTEMPTS - 1)), str(MOST_ATTEMPTS + 49)]
