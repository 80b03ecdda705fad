"""``python -m cardlab.analysis power``: how often an experiment would find what there is to be found."""

import argparse
import csv
from dataclasses import replace
from pathlib import Path

from cardlab.analysis import cli, parallel
from cardlab.analysis.output import atomic_file, make_folder, write_bytes_atomically

HELP = "the power of a design by simulation: a table and a curve"

TABLE, CURVE = "power.csv", "power"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "design",
        metavar="DESIGN.toml",
        help="a design: game, treatments, numbers of participants, measure and test",
    )
    cli.add_folder_argument(parser)
    parser.add_argument(
        "--repeats",
        metavar="R",
        type=cli.NUMBER,
        help="number of simulated experiments; default: as the design says",
    )
    cli.add_figures_argument(parser)
    parallel.add_engine_arguments(parser, "repeats to simulate")


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis import design, power  # their libraries take a second to load
    from cardlab.analysis.report.drawing import render

    asked = design.read_design(Path(arguments.design))
    asked = replace(asked, repeats=arguments.repeats or asked.repeats)
    for arm in asked.arms:
        for field in arm.deals.left_out:
            cli.warn(
                f"In treatment {arm.name}, {field} is ignored, because it does not affect the simulation."
            )
    power.check_measure(asked)
    tasks = [(asked, number) for number in range(1, asked.repeats + 1)]
    with parallel.open_engine(arguments, power.simulate_repeat) as compute:
        repeats = list(parallel.show_progress(compute(tasks), len(tasks), "Repeats simulated"))
    rows = power.build_table(asked, repeats)
    folder = make_folder(Path(arguments.out))
    sources = [Path(arguments.design), *asked.sources]
    with atomic_file(folder / TABLE, sources) as file:
        table = csv.DictWriter(file, power.COLUMNS, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
    drawing = power.draw_curve(asked, rows)
    for kind in arguments.figures:
        write_bytes_atomically(folder / f"{CURVE}.{kind}", render(drawing, kind), sources)
    for row in rows:
        print(cli.to_one_line(power.describe_row(row)))
    curves = ", ".join(f"{CURVE}.{kind}" for kind in arguments.figures)
    print(f"Wrote {TABLE} and {curves} of {cli.format_count(asked.repeats, 'repeat')} to {folder}")
