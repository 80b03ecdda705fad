"""Measures how fast this computer's engine workers answer, for ``lab.py check``.

``python -m cardlab.core.engine_capacity`` prints a line of JSON for each game with an engine: ``title``,
``strength`` (of the hard questions), ``compiled``, ``workers``, and ``seconds``, the mean time of an answer.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from importlib.util import find_spec
from itertools import cycle
from typing import Any

from cardlab import folders
from cardlab.core import compilation
from cardlab.core.engine_pool import EnginePool, engine_of, warm_up
from cardlab.games.registry import Game, games_by_name

SECONDS = 1.0


def capacities(seconds: float = SECONDS) -> Iterator[dict[str, Any]]:
    """Yields a line's fields for each game with an engine that the project has."""
    for game in games_by_name().values():
        is_here = any((folders.PROJECT / app).is_dir() for app in game.apps)
        if is_here and find_spec(engine_of(game.rules)):
            yield {
                "title": game.title,
                "strength": game.load_module("engine").HARD,
                "compiled": compilation.workers_compile(),
                "workers": EnginePool().workers,
                "seconds": mean_seconds(game, seconds),
            }


def mean_seconds(game: Game, seconds: float) -> float:
    """Returns the mean time of an answer to the engine's hard questions, repeated for ``seconds``."""
    engine = game.load_module("engine")
    warm_up(engine_of(game.rules))
    began = time.perf_counter()
    for answers, question in enumerate(cycle(engine.hard_questions()), 1):
        engine.answer(question)
        if (elapsed := time.perf_counter() - began) >= seconds:
            return elapsed / answers
    raise ValueError(f"The engine of {game.name} has no hard questions.")


if __name__ == "__main__":
    for capacity in capacities():
        print(json.dumps(capacity))
