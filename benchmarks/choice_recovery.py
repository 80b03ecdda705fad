"""Measures how well the models of choice in the matrix game recover the parameters of simulated participants.

    .venv/bin/python benchmarks/choice_recovery.py --people 40 --hands 10 --compared 8
    .venv/bin/python benchmarks/choice_recovery.py --people 40 --hands 10 --look-ahead

The turns are those of simulated games. For each model, participants are drawn whose parameters are normal on
the scale without bounds (standard deviation 1), and their choices are drawn from the model. ``r_alone`` and
``r_shrunk`` correlate the true positions with the estimates of each alone and of all together. ``best`` is
the share of participants for whom the true model has the lowest AICc of all models.

With ``--look-ahead``, participants of a model respond to payoffs with the value of 0, 1, 4 or 12 later turns
(``true``). For each, ``fitted_0`` and so on are the shares for whom the model with these payoffs has the
lowest AICc. ``told`` is the share in which looking ahead or not is right.
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

LOOK_AHEADS = (0, 1, 4, 12)
LOOKING = ("level_1", "level_2")


def simulate_turns(people: int, hands: int, look_ahead: int = 0) -> list[Choices]:
    """Returns the turns of participants who choose at random, the same for each look-ahead."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "matrix.csv"
        analysis(
            ["simulate", "matrix", "--participants", str(people), "--hands", str(hands), "-o", str(path)]
        )
        rows: dict[str, list] = {}
        for row in choices.build_rows(sources.read_hands([path], print), (look_ahead,)):
            rows.setdefault(row["participant_code"], []).append({**row, "by": "person"})
    return [make_choices(own_rows) for own_rows in rows.values()]


def main() -> None:
    """Prints a row of CSV per parameter."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=40)
    parser.add_argument("--hands", type=int, default=10)
    parser.add_argument("--compared", type=int, default=10, help="people for whom all models are compared")
    parser.add_argument("--look-ahead", action="store_true", help="tell who looks ahead")
    arguments = parser.parse_args()
    if arguments.look_ahead:
        tell_look_ahead(arguments.people, arguments.hands)
        return
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


def tell_look_ahead(people: int, hands: int) -> None:
    """Prints a row of CSV per model and true look-ahead."""
    turns = {look_ahead: simulate_turns(people, hands, look_ahead) for look_ahead in LOOK_AHEADS}
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(
        ["model", "true", "people", "choices", *(f"fitted_{number}" for number in LOOK_AHEADS), "told"]
    )
    for model in (model for model in MODELS if model.name in LOOKING):
        for true in LOOK_AHEADS:
            rng = np.random.default_rng(true)
            found = dict.fromkeys(LOOK_AHEADS, 0)
            for number in range(people):
                positions = rng.normal(size=len(model.parameters))
                chosen = model.draw(fitting.values_at(model, positions), turns[true][number], rng).chosen
                fits = {
                    look_ahead: fitting.fit_person(model, turns[look_ahead][number].with_chosen(chosen))
                    for look_ahead in LOOK_AHEADS
                }
                found[max(fits, key=lambda look_ahead: fits[look_ahead].log_likelihood)] += 1
            told = found[0] if true == 0 else people - found[0]
            size = int(np.mean([each.counted.sum() for each in turns[true]]))
            shares = [f"{count / people:.2f}" for count in (*found.values(), told)]
            table.writerow([model.name, true, people, size, *shares])
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
