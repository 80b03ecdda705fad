"""Tests the measurement of how fast engines answer."""

from cardlab.core.engine_capacity import capacities
from cardlab.core.engine_pool import EnginePool
from cardlab.games.challenge import engine


def test_every_engine_is_measured():
    (measured,) = capacities(seconds=0.01)
    assert (measured["title"], measured["strength"]) == ("Challenge", engine.HARD)
    assert measured["workers"] == EnginePool().workers
    assert measured["seconds"] > 0


def test_hard_questions_are_answered_at_their_depth():
    questions = engine.hard_questions()
    assert len(set(questions)) == len(questions) == engine.HARD_MOVES
    assert engine.answer(questions[0]).searched.startswith(f"{engine.HARD} nodes ")
