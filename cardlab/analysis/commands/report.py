"""The command ``report``: writes the tables and plots of sessions."""

import argparse
from pathlib import Path

from cardlab.analysis import browser_events, cli
from cardlab.analysis.output import check_installed

HELP = "one HTML page with tables and plots, and a file of each"


def declare(parser: argparse.ArgumentParser) -> None:
    cli.add_sources_argument(parser)
    cli.add_folder_argument(parser)
    cli.add_condition_arguments(parser)
    parser.add_argument(
        "--no-search", action="store_true", help="leave out what needs a search for good play"
    )
    cli.add_figures_argument(parser)
    parser.add_argument(
        "--tables",
        metavar="KINDS",
        type=cli.TABLES,
        default=["csv"],
        help="further formats of tables, separated by commas: parquet, sav (SPSS), dta (Stata)",
    )
    cli.add_strict_argument(parser)
    cli.add_preregistration_argument(parser)


def run(arguments: argparse.Namespace) -> None:
    from cardlab.analysis.preregistration.arguments import apply_preregistration
    from cardlab.analysis.preregistration.review import review
    from cardlab.analysis.report import write  # its libraries take a second to load
    from cardlab.analysis.report.methods import Command
    from cardlab.analysis.report.page import FileKinds

    kinds = FileKinds(arguments.figures, list(dict.fromkeys(["csv", *arguments.tables])))
    for kind in kinds.tables[1:]:
        check_installed(f".{kind}")
    paths = cli.expand_paths(arguments.sources)
    reported = browser_events.read_browser_events(paths)
    document = apply_preregistration(arguments)
    rules = document.plan.exclusions if document else ()
    data = cli.load_data(arguments, paths, not arguments.no_search, reported, rules)
    planned = review(document, data) if document else None
    frozen = Path(arguments.preregistration) if document else None
    command = Command(paths, _list_options(arguments, document is not None), frozen)
    written = write.write_report(data, Path(arguments.out), command, kinds, planned)
    for sentence in planned.deviations if planned else ():
        cli.warn(f"Not as planned: {sentence}")
    page = Path(arguments.out) / write.NAME
    print(f"Wrote {cli.format_count(written, 'file')} to {arguments.out}. Open {page}")


def _list_options(arguments: argparse.Namespace, is_planned: bool) -> list[str]:
    """Returns the options that change the content of a report, except those that a plan has set."""
    options: list[str] = []
    if not is_planned:
        for name in ("by", "person"):
            if value := getattr(arguments, name):
                options += [f"--{name}", value]
        for name, value in arguments.threshold:
            options += ["--threshold", f"{name}={value:g}"]
    return options + ["--no-search"] * arguments.no_search + ["--strict"] * arguments.strict
