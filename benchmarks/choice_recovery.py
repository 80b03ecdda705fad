"""Measures how well the models of choice in the matrix game recover the parameters of simulated participants.

    .venv/bin/python benchmarks/choice_recovery.py --people 40 --hands 10 --compared 8

The turns are those of simulated games. For each model, participants are drawn whose parameters are normal on
the scale without bounds (standard deviation 1), and their choices are drawn from the model. ``r_alone`` and
``r_shrunk`` correlate the true positions with the estimates of each alone and of all together. ``best`` is
the share of participants for whom the true model has the lowest AICc of all models.
"""

import argparse
import csv
import sys
import tempfile
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent))

from cardlab.analysis import sources
from cardlab.analysis.choice_models import MODELS, checks, fitting
from cardlab.analysis.choice_models.data import Choices, make_choices
from cardlab.analysis.commands import main as analysis
from cardlab.analysis.games.matrix import choices


def simulate_turns(people: int, hands: int) -> list[Choices]:
    """Returns the turns of participants who choose at random."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.csv"
        analysis(
            ["simulate", "matrix", "--participants", str(people), "--hands", str(hands), "-o", str(path)]
        )
        rows: dict[str, list] = {}
        for row in choices.build_rows(sources.read_hands([path], print)):
            rows.setdefault(row["participant_code"], []).append({**row, "by": "person"})
    return [make_choices(own_rows) for own_rows in rows.values()]


def main() -> None:
    """Prints a row of CSV per parameter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--compared", type=int, default=10, help="people for whom all models are compared")
    arguments = parser.parse_args()
    turns = simulate_turns(arguments.people, arguments.hands)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["model", "parameter", "people", "choices", "r_alone", "r_shrunk", "best"])
    for number, model in enumerate(MODELS):
        rng = np.random.default_rng(number)
        truth = rng.normal(size=(len(turns), len(model.parameters)))
        people = [
            model.draw(fitting.values_at(model, positions), each, rng)
            for positions, each in zip(truth, turns)
        ]
        alone = np.array([fitting.fit_person(model, each).positions for each in people])
        shrunk = np.array([fit.positions for fit in fitting.fit_people(model, people)[0]])
        best = np.mean([_is_best(model, each) for each in people[: arguments.compared]])
        size = int(np.mean([each.counted.sum() for each in people]))
        for place, parameter in enumerate(model.parameters):
            r = [np.corrcoef(truth[:, place], found[:, place])[0, 1] for found in (alone, shrunk)]
            table.writerow(
                [model.name, parameter.name, len(people), size, *(f"{x:.2f}" for x in r), f"{best:.2f}"]
            )
        sys.stdout.flush()


def _is_best(true_model: object, each: Choices) -> bool:
    scores = {}
    for model in MODELS:
        likelihood = fitting.fit_person(model, each).log_likelihood
        scores[model.name] = checks.aicc(likelihood, len(model.parameters), int(each.counted.sum()))
    lowest = min(scores.values())
    return scores[true_model.name] == lowest


if __name__ == "__main__":
    main()
