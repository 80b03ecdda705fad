"""Simulates how often the command ``depth`` finds that players of Challenge search, and how far.

The positions are those of a table of actions, which is simulated or a pilot. In each participant's first
positions, moves are drawn from a model with parameters of their own, and all models are fitted to them. For a
model that searches, the share of verdicts ``search`` is the power, for another one the false positive rate.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardlab.analysis.games.challenge import planning_models
from cardlab.analysis.games.challenge.depth_table import ParticipantGames
from cardlab.analysis.games.challenge.planning_checks import draw_choices
from cardlab.analysis.games.challenge.planning_models import MODELS, Data, Fit, Model
from cardlab.analysis.inference.intervals import wilson_interval
from cardlab.games.columns import Integer, Number

COLUMNS = {
    "model": "the model from which moves were drawn",
    "choices": Integer("choices of a simulated player"),
    "simulated": Integer("simulated players"),
    "called_search": Number(f"share of them with the verdict `{planning_models.SEARCH}`"),
    "called_low": Number("bounds of its 95 % interval"),
    "called_high": Number("bounds of its 95 % interval"),
    "within": Number(
        "share of them whose interval of depths contains the true depth; empty if the model has no depth"
    ),
    "depth_error": Number(
        "mean absolute difference of estimated and true depth, over verdicts `search`; empty without them"
    ),
}


class Task(NamedTuple):
    """A player whose moves are drawn from a model (an index of ``MODELS``), in the positions of ``data``."""

    model: int
    seed: int
    data: Data


class Finding(NamedTuple):
    """The result of a fit to a simulated player: the verdict, the most likely depth and its interval."""

    is_search: bool
    depth: int
    low: int
    high: int


def limit_choices(person: ParticipantGames, most: int) -> ParticipantGames:
    """Returns the participant with the first ``most`` choices in the order of play."""
    games = []
    for history, numbers in person.games:
        games.append((history, numbers[:most]))
        most -= len(games[-1][1])
    return ParticipantGames(person.who, games)


def make_tasks(model: int, size: int, people: Sequence[Data], simulated: int) -> Iterator[Task]:
    """Yields tasks with ``size`` choices, in the positions of each participant with enough, in turn."""
    able = [data for data in people if len(data.chosen) >= size]
    for seed in range(simulated):
        yield Task(model, seed, _first(able[seed % len(able)], size))


def _first(data: Data, size: int) -> Data:
    scores, ranks = data.scores[:, :size], data.ranks[:, :size]
    limited = data.limited[..., :size, :]
    return Data(scores, ranks, data.features[:size], data.legal[:size], data.chosen[:size], limited)


def draw_values(model: Model, rng: np.random.Generator) -> list[float]:
    """Returns parameters of a simulated player: uniform in their typical ranges, on their scales."""
    return [
        float(np.exp(rng.uniform(*np.log(part.typical))) if part.is_log else rng.uniform(*part.typical))
        for part in model.parameters
    ]


def find(task: Task) -> Finding:
    """Draws the moves and fits all models."""
    model = MODELS[task.model]
    rng = np.random.default_rng((task.model, task.seed))
    chances = model.chances(draw_values(model, rng), task.data)
    (chosen,) = draw_choices(chances, 1, int(rng.integers(2**31)))
    fit: Fit = planning_models.fit_data(task.data._replace(chosen=chosen))
    return Finding(fit.verdict == planning_models.SEARCH, fit.depth, fit.low, fit.high)


def build_row(model: int, size: int, findings: Iterable[Finding]) -> dict[str, Any]:
    """Returns the row of a model and a number of choices."""
    found, depth = list(findings), MODELS[model].depth
    called = [one for one in found if one.is_search]
    share = wilson_interval(len(called), len(found))
    within = "" if depth is None else float(np.mean([one.low <= depth <= one.high for one in found]))
    error = "" if depth is None or not called else float(np.mean([abs(one.depth - depth) for one in called]))
    cells = [MODELS[model].name, size, len(found), len(called) / len(found), share.low, share.high]
    return dict(zip(COLUMNS, [*cells, within, error]))
