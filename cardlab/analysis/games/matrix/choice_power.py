"""Simulates how often an experiment with the matrix game distinguishes a model of choice from all others.

The turns are those of a table of actions, which is simulated or a pilot. Each participant's choices are drawn
from a model with parameters of their own, and all models are fitted to them. Experiments are then samples of
these participants. The model with the lowest sum of AICc over the participants is found; power is the share
of experiments in which it is the true one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from cardlab.analysis.choice_models import MODELS, checks, fitting
from cardlab.analysis.choice_models.data import Choices
from cardlab.games.columns import Integer, Number

EXPERIMENTS = 2000  # samples of participants for each size
RESAMPLES = 200  # of the simulated participants, for the interval
EXPERIMENTS_RESAMPLED = 200  # in each of them

COLUMNS = {
    "model": "the model from which choices were drawn",
    "participants": Integer("participants of an experiment"),
    "power": Number("share of experiments in which this model has the lowest sum of AICc"),
    "power_low": Number("bounds of its 95 % interval, which is over the simulated participants"),
    "power_high": Number("bounds of its 95 % interval, which is over the simulated participants"),
    "rival": "the other model that is found most often; empty if there is none",
    "rival_share": Number("share of experiments in which the rival is found"),
    "alone": Number("share of simulated participants for whom this model has the lowest AICc"),
    "simulated": Integer("simulated participants from whom experiments are drawn"),
    "choices": Number("mean number of counted choices of a participant"),
}

Scores = npt.NDArray[np.float64]  # AICc, of shape (participants, models)


class Task(NamedTuple):
    """A participant whose choices are drawn from the model with the index ``model`` in ``MODELS``."""

    model: int
    seed: int
    choices: Choices


def make_tasks(models: Sequence[int], people: Sequence[Choices]) -> list[Task]:
    """Returns a task for each model and participant."""
    return [Task(model, seed, choices) for model in models for seed, choices in enumerate(people)]


def score_models(task: Task) -> list[float]:
    """Draws the choices, and returns the AICc of each model; infinity with too few choices for it.

    Parameters are drawn from a standard normal distribution on the unbounded scale.
    """
    model, rng = MODELS[task.model], np.random.default_rng((task.model, task.seed))
    values = fitting.values_at(model, rng.normal(size=len(model.parameters)))
    drawn = model.draw(values, task.choices, rng)
    count = int(drawn.counted.sum())
    scores = (
        checks.aicc(fitting.fit_person(rival, drawn).log_likelihood, len(rival.parameters), count)
        for rival in MODELS
    )
    return [np.inf if score is None else score for score in scores]


def as_scores(found: Sequence[Sequence[float]], models: int) -> Scores:
    """Returns the scores of all tasks, of shape (true models, participants, models)."""
    return np.array(found).reshape(models, -1, len(MODELS))


def build_rows(
    model: int, scores: Scores, sizes: Sequence[int], choices: float, seed: int = 1
) -> Iterator[dict[str, Any]]:
    """Yields a row for each number of participants. ``choices`` is the mean number of a participant."""
    rng = np.random.default_rng((seed, model))
    alone = float((scores.argmin(1) == model).mean())
    for size in sizes:
        found = np.bincount(find_models(scores, size, EXPERIMENTS, rng), minlength=len(MODELS)) / EXPERIMENTS
        resampled = [
            (find_models(_resample(scores, rng), size, EXPERIMENTS_RESAMPLED, rng) == model).mean()
            for _ in range(RESAMPLES)
        ]
        low, high = np.quantile(resampled, (0.025, 0.975))
        rivals = np.where(np.arange(len(MODELS)) == model, -1, found)
        rival = int(rivals.argmax())
        cells = [MODELS[model].name, size, found[model], low, high]
        cells += [MODELS[rival].name if rivals[rival] > 0 else "", rivals[rival], alone, len(scores), choices]
        yield dict(zip(COLUMNS, cells))


def find_models(
    scores: Scores, size: int, experiments: int, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """Returns the index of the model that each experiment finds; ``size`` participants are drawn for each."""
    drawn = rng.integers(len(scores), size=(experiments, size))
    found: npt.NDArray[np.int64] = scores[drawn].sum(1).argmin(1)
    return found


def _resample(scores: Scores, rng: np.random.Generator) -> Scores:
    drawn: Scores = scores[rng.integers(len(scores), size=len(scores))]
    return drawn
