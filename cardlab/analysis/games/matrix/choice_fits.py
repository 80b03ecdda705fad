"""Fits the models of choice to the participants of the matrix game: a row per participant and model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from cardlab.analysis.choice_models import MODELS, checks, fitting
from cardlab.analysis.choice_models.data import Choices, make_choices
from cardlab.analysis.choice_models.model import Parameter
from cardlab.games.columns import GuardedText, Integer, Number
from cardlab.games.tables import PARTICIPANT_ID_COLUMNS

FEWEST = 10  # choices of a participant

PARAMETERS: Mapping[str, Parameter] = {
    parameter.name: parameter for model in MODELS for parameter in model.parameters
}
COLUMNS = {
    "session_code": PARTICIPANT_ID_COLUMNS["session_code"],
    "treatment": PARTICIPANT_ID_COLUMNS["treatment"],
    "participant_code": "oTree's code of the participant",
    "participant_label": GuardedText("the label from the room or the link"),
    "model": "the model",
    "look_ahead": Integer("later turns whose expected points are added to the payoffs; 0 for none"),
    "choices": Integer("own choices with cards of both columns, without practice"),
    "parameters": Integer("parameters of the model"),
    "log_likelihood": Number("log-likelihood of the choices at the most likely parameters"),
    "aicc": Number("AICc; lower is better"),
    "bic": Number("BIC; lower is better"),
    "weight": Number("Akaike weight among all rows of the participant"),
    "cv_log_likelihood": Number(
        f"log-likelihood of choices that the fit has not seen, in {checks.FOLDS} parts"
    ),
    **{name: Number(f"most likely value: {part.meaning}") for name, part in PARAMETERS.items()},
    **{
        f"{name}_shrunk": Number(f"`{name}` estimated with all participants: few choices shrink to the mean")
        for name in PARAMETERS
    },
    **{
        f"check_{name}": Number(f"p of simulated choices as extreme as the participant's: {meaning}")
        for name, (meaning, _statistic) in checks.STATISTICS.items()
    },
}


class Person(NamedTuple):
    """The identifying cells of a participant's rows, and the choices by look-ahead."""

    identity: dict[str, str]
    choices: dict[int, Choices]


class Task(NamedTuple):
    """A model, by its index in ``MODELS``, the look-ahead of the payoffs, and the people to fit it to."""

    model: int
    look_ahead: int
    people: list[Choices]


def group_people(rows: Iterable[dict[str, Any]]) -> list[Person]:
    """Returns the participants with at least ``FEWEST`` choices, from the rows of the table of choices."""
    rows_by_person: dict[tuple[str, str], dict[int, list[dict[str, Any]]]] = {}
    for row in rows:
        if row["practice"] != "1":
            own_rows = rows_by_person.setdefault((row["session_code"], row["participant_code"]), {})
            own_rows.setdefault(int(row["look_ahead"]), []).append(row)
    people = []
    for by_look_ahead in rows_by_person.values():
        choices = {look_ahead: make_choices(own_rows) for look_ahead, own_rows in by_look_ahead.items()}
        first_row = next(iter(by_look_ahead.values()))[0]
        if all(each.counted.sum() >= FEWEST for each in choices.values()):
            people.append(Person({name: first_row[name] for name in list(COLUMNS)[:4]}, choices))
    return people


def make_tasks(people: Sequence[Person], look_aheads: Sequence[int]) -> list[Task]:
    """Returns a task for each model and look-ahead. Random choice has one, because it ignores payoffs."""
    return [
        Task(model, look_ahead, [person.choices[look_ahead] for person in people])
        for model in range(len(MODELS))
        for look_ahead in (look_aheads if MODELS[model].parameters else look_aheads[:1])
    ]


def fit_model(task: Task) -> list[dict[str, Any]]:
    """Returns the cells of a model for each person, without those that need the other models."""
    model, count = MODELS[task.model], len(MODELS[task.model].parameters)
    shrunk, _prior = fitting.fit_people(model, task.people)
    rows = []
    for choices, together in zip(task.people, shrunk):
        alone = fitting.fit_person(model, choices)
        number = int(choices.counted.sum())
        names = [parameter.name for parameter in model.parameters]
        tested = checks.check_predictions(model, together.values, choices)
        rows.append(
            {
                "model": model.name,
                "look_ahead": task.look_ahead,
                "choices": number,
                "parameters": count,
                "log_likelihood": alone.log_likelihood,
                "aicc": checks.aicc(alone.log_likelihood, count, number),
                "bic": checks.bic(alone.log_likelihood, count, number),
                "cv_log_likelihood": checks.cross_validate(model, choices),
                **dict(zip(names, alone.values)),
                **{f"{name}_shrunk": value for name, value in zip(names, together.values)},
                **{f"check_{name}": p for name, p in tested.items()},
            }
        )
    return rows


def join_models(
    people: Sequence[Person], fits: Sequence[Sequence[dict[str, Any]]]
) -> Iterator[dict[str, Any]]:
    """Yields the rows of the table, a person's fits together, with their weights."""
    for person, own_fits in zip(people, zip(*fits)):
        scores = np.array([fit["aicc"] for fit in own_fits], dtype=float)
        weights = np.exp(-(scores - scores.min()) / 2)
        for fit, weight in zip(own_fits, weights / weights.sum()):
            yield {**person.identity, **fit, "weight": weight}
