"""The command ``power``: simulates how often an experiment would find a difference that exists."""

from __future__ import annotations

import argparse
import csv
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from cardlab.analysis import cli, parallel
from cardlab.analysis.output import atomic_file, make_folder, write_bytes_atomically

if TYPE_CHECKING:
    from cardlab.analysis.design import Design
    from cardlab.games.statistics import Row

HELP = "the power of a design by simulation: a table and a curve"

TABLE, CURVE = "power.csv", "power"


def declare(parser: argparse.ArgumentParser) -> None:
    add_design_arguments(parser)
    cli.add_folder_argument(parser)
    cli.add_figures_argument(parser)
    parallel.add_engine_arguments(parser, "repeats to simulate")


def add_design_arguments(parser: argparse.ArgumentParser) -> None:
    """Adds the design file and ``--repeats``."""
    parser.add_argument(
        "design",
        metavar="DESIGN.toml",
        help="a design: game, treatments, numbers of participants, measure and test",
    )
    parser.add_argument(
        "--repeats",
        metavar="R",
        type=cli.NUMBER,
        help="number of simulated experiments; default: as the design says",
    )


def simulate_power(arguments: argparse.Namespace, experiment: Design) -> tuple[Design, list[Row]]:
    """Returns the design as simulated, and the rows of the table of power. Raises BadFile.

    The design keeps the exclusions that can be simulated; the command warns about the others.
    """
    from cardlab.analysis import (  # their libraries take a second to load
        power,
        simulated_people,
        simulated_tests,
    )

    for arm in experiment.arms:
        for field in arm.deals.left_out:
            cli.warn(
                f"In treatment {arm.name}, {field} is ignored, because it does not affect the simulation."
            )
    rules = simulated_people.choose_rules(experiment, experiment.exclusions)
    for rule in experiment.exclusions:
        if rule not in rules:
            cli.warn(
                f"The exclusion {rule} is not simulated, because simulated participants have no such column, "
                "or no times. Write excluded = 0.1 for the share that you expect to exclude."
            )
    experiment = replace(experiment, exclusions=rules)
    simulated_tests.check_measures(experiment)
    tasks = [(experiment, number) for number in range(1, experiment.repeats + 1)]
    with parallel.open_engine(arguments, simulated_tests.simulate_repeat) as compute:
        repeats = list(parallel.show_progress(compute(tasks), len(tasks), "Repeats simulated"))
    return experiment, power.build_table(experiment, repeats)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import design, power  # their libraries take a second to load
    from cardlab.analysis.preregistration import plan
    from cardlab.analysis.report.drawing import render

    source = design.read_file(Path(arguments.design))
    experiment = design.parse_design(source)
    if design.PREREGISTRATION in source.tables:
        experiment = replace(experiment, exclusions=plan.parse_plan(source, experiment).exclusions)
    experiment = replace(experiment, repeats=arguments.repeats or experiment.repeats)
    experiment, rows = simulate_power(arguments, experiment)
    folder = make_folder(Path(arguments.out))
    sources = [Path(arguments.design), *experiment.sources]
    with atomic_file(folder / TABLE, sources) as file:
        table = csv.DictWriter(file, power.COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    drawing = power.draw_curve(experiment, rows)
    for kind in arguments.figures:
        write_bytes_atomically(folder / f"{CURVE}.{kind}", render(drawing, kind), sources)
    for row in rows:
        print(cli.to_one_line(power.describe_row(row)))
    curves = ", ".join(f"{CURVE}.{kind}" for kind in arguments.figures)
    print(f"Wrote {TABLE} and {curves} of {cli.format_count(experiment.repeats, 'repeat')} to {folder}")
