"""Tests the comprehension check: a wrong answer leads to another question, and every attempt is stored."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest
from golden_session import APPS
from harnesses import GAMES

from cardlab.games.questions import Form, Question
from cardlab.pages.comprehension_check import MAX_ATTEMPTS, CheckPage


def form(right: str) -> Form:
    return Form(f"What is {right}?", (("a", "A"), ("b", "B")), right, f"It is {right}.")


COLOUR = Question("colour", form("a"), form("b"))
NUMBER = Question("number", form("b"))


class Check(CheckPage):
    instructions = SimpleNamespace(rules_vars=lambda _player: {"hands": 3})

    @classmethod
    def current_questions(cls, _player):
        return [COLOUR, NUMBER]


def test_wrong_answer_leads_to_next_form():
    player = SimpleNamespace(check_attempts="", get_folder_name=lambda: "an_app")

    def texts_of_page():
        return [
            (asked["text"], asked["right"], asked["answered"], asked["why"])
            for asked in Check.vars_for_template(player)["questions"]
        ]

    assert texts_of_page() == [("What is a?", False, None, ""), ("What is b?", False, None, "")]
    assert "Some answers are not right" in Check.error_message(player, {"colour": "b", "number": "b"})
    assert texts_of_page() == [("What is b?", False, None, "It is a."), ("What is b?", True, "b", "")]
    assert "Some answers are not right" in Check.error_message(player, {"colour": "a", "number": "b"})
    assert texts_of_page() == [("What is a?", False, None, "It is b."), ("What is b?", True, "b", "")]
    assert Check.error_message(player, {"colour": "a", "number": "a"})  # right answers must stay right
    assert texts_of_page() == [("What is a?", True, "a", ""), ("What is b?", False, None, "It is b.")]
    assert Check.error_message(player, {"colour": "a", "number": "b"}) is None
    assert player.check_attempts.count("\n") == 4


def test_first_and_last_of_many_attempts_are_kept():
    player = SimpleNamespace(check_attempts="")
    for number in range(MAX_ATTEMPTS + 50):
        answers = {"colour": f"{number}", "number": "b" * 1000}
        assert "Some answers are not right" in Check.error_message(player, answers)
    kept = [json.loads(line)[1] for line in player.check_attempts.splitlines()]
    first, last = [*map(str, range(MAX_ATTEMPTS - 1))], str(MAX_ATTEMPTS + 49)
    assert [answers["colour"] for answers in kept] == [*first, last]
    assert {len(answers["number"]) for answers in kept} == {40}


@pytest.mark.parametrize("game", GAMES)
def test_every_question_has_a_form_with_another_answer(game):
    """Also checks that each game's harness has the right answers."""
    questions = APPS[game].Check.questions(GAMES[game].harness.ASKED)
    for question in questions:
        rights = [each.right for each in question.forms]
        assert len(rights) > 1
        assert all(one != other for one, other in zip(rights, rights[1:]))
        for each in question.forms:
            assert each.right in dict(each.choices)
            assert len(dict(each.choices)) == len(each.choices) > 1
    known = GAMES[game].harness.ANSWERS
    assert {question.field: tuple(each.right for each in question.forms) for question in questions} == known
    assert set(known) <= set(vars(APPS[game].Player))
