"""The command ``replicate``: prepares a replication of a published study, and reports its data."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from cardlab.analysis import cli
from cardlab.analysis.games.ttt.replications.study import NAMES, Study, read_study

if TYPE_CHECKING:
    from cardlab.analysis.preregistration.plan import Plan

HELP = "Target the Two: prepare a replication, or report its data beside the published findings"


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("study", metavar="STUDY", help=f"{', '.join(NAMES)}, or a study.toml")
    parser.add_argument(
        "sources", metavar="SOURCE", nargs="*", help="the data to report; without them, prepares the study"
    )
    cli.add_folder_argument(parser)
    cli.add_figures_argument(parser)
    cli.add_preregistration_argument(parser)
    cli.add_strict_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.games.ttt.replications.folder import write_folder  # takes a second to load

    study, out = read_study(arguments.study), Path(arguments.out)
    if not arguments.sources:
        write_folder(study, out)
        print(f"Wrote the replication to {out}. Read {out / 'README.md'}")
        return
    _report(arguments, study)


def _report(arguments: argparse.Namespace, study: Study) -> None:
    from cardlab.analysis.games.ttt.replications.figures import build_section
    from cardlab.analysis.preregistration.arguments import apply_preregistration
    from cardlab.analysis.preregistration.review import review
    from cardlab.analysis.report import write
    from cardlab.analysis.report.methods import Command
    from cardlab.analysis.report.page import FileKinds

    paths = cli.expand_paths(arguments.sources)
    document = apply_preregistration(arguments)
    plan = document.plan if document else _read_plan(study)
    arguments.by, arguments.person = plan.by, plan.person
    arguments.threshold, arguments.same_deals = [*plan.thresholds.items()], False
    everything = cli.load_data(arguments, paths, searches=True)
    section = build_section(study, everything)
    data, planned = everything, None
    if document:
        arguments.same_deals = plan.same_deals
        if plan.same_deals or plan.exclusions:
            data = cli.load_data(arguments, paths, searches=True, rules=plan.exclusions)
        planned = review(document, data)
    frozen = Path(arguments.preregistration) if document else None
    name = ("replicate", arguments.study if arguments.study in NAMES else Path(arguments.study))
    command = Command(paths, ["--strict"] * arguments.strict, frozen, name)
    kinds = FileKinds(arguments.figures)
    written = write.write_report(data, Path(arguments.out), command, kinds, planned, [section])
    for sentence in planned.deviations if planned else ():
        cli.warn(f"Not as planned: {sentence}")
    page = Path(arguments.out) / write.NAME
    print(f"Wrote {cli.format_count(written, 'file')} to {arguments.out}. Open {page}")


def _read_plan(study: Study) -> Plan:
    """Returns the plan of a study that was not frozen. Raises BadFile."""
    from cardlab.analysis import design
    from cardlab.analysis.preregistration.plan import parse_plan

    source = design.read_file(study.design)
    return parse_plan(source, design.parse_design(source))
