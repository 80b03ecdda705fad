"""The command line of the analysis: arguments in, exit code out, errors as one line.

What a command does stands in a module of its own; here is what they share, the words for the person
at the terminal.
"""

from __future__ import annotations

import argparse
import contextlib
import glob
import math
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NoReturn

from analysis import best, dask_engine, hands, replay, simulate, solve, sources, split, summary
from analysis.game import by_name
from analysis.output import whole_file
from games.cards import TTT_PACK
from games.contract import BadFile
from games.text_file import quote
from games.triangle.oracle import NoSolver
from games.ttt.belief import VIEWS
from games.ttt.rules import KEEPERS

SOURCE_HELP = "a table of actions (custom_export), or a ck or nk log"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command. 0 when done, 2 with one line on stderr when the input is wrong, 130 when it is
    stopped by Ctrl-C or SIGTERM. SystemExit with 2 and one line when the arguments are wrong."""
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.run is None:
        parser.print_help()
        return 0
    try:
        with _stopped_cleanly():
            arguments.run(arguments)
    except (BadFile, NoSolver) as error:
        return _failed(str(error))
    except BrokenPipeError:
        # The reader of stdout (`| head`) has enough; nothing is left to be flushed at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        return _failed(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")
    except KeyboardInterrupt:
        print("Stopped; nothing was written.", file=sys.stderr)
        return 130
    return 0


@contextlib.contextmanager
def _stopped_cleanly() -> Iterator[None]:
    """SIGTERM stops the command as Ctrl-C does, so that nothing unfinished is left."""
    ours = threading.current_thread() is threading.main_thread()
    if not ours or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


class _Parser(argparse.ArgumentParser):
    """Says in one line what is wrong with the arguments."""

    def error(self, message: str) -> NoReturn:
        self.exit(_failed(f"{message} ({self.prog} --help tells more)"))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python -m analysis", description="Card Lab: what exports and logs tell about the hands."
    )
    parser.set_defaults(run=None)
    commands = parser.add_subparsers(metavar="COMMAND")

    one = commands.add_parser("split", help="ck/nk log files from a table of actions, one pair a participant")
    one.add_argument("actions", metavar="ACTIONS.csv", help="a table of actions (custom_export)")
    one.add_argument(
        "--out", metavar="DIR", type=_name, required=True, help="where to write; made if it is not there"
    )
    _strict(one)
    one.set_defaults(run=_split)

    one = commands.add_parser("transform", help="the Transform summary: layout and sequence of each hand")
    one.add_argument("sources", metavar="LOG", nargs="+", help=SOURCE_HELP)
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, help="where to write; without it, to the terminal"
    )
    _strict(one)
    one.set_defaults(run=_transform)

    one = commands.add_parser("hands", help="one tidy row a hand")
    one.add_argument("sources", metavar="SOURCE", nargs="+", help=SOURCE_HELP)
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, required=True, help="where to write, like hands.csv"
    )
    one.add_argument(
        "--engine",
        choices=("parts", "dask"),
        default="parts",
        help="parts (the default) reads tables piece by piece in this process; dask computes the pieces on "
        "all cores, or on a cluster (requirements-dask.txt); the results are the same",
    )
    one.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="of a Dask cluster, like tcp://192.0.2.7:8786; with --engine dask",
    )
    one.add_argument(
        "--part-megabytes",
        metavar="MB",
        type=_megabytes,
        default=dask_engine.PART_BYTES / 1e6,
        help=f"how much of a table Dask takes at a time; {dask_engine.PART_BYTES / 1e6:g}",
    )
    _strict(one)
    one.set_defaults(run=_hands)

    one = commands.add_parser("simulate", help="sessions that named strategies play, as a table of actions")
    one.add_argument("game", metavar="GAME", help=", ".join(by_name()))
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, required=True, help="where to write, like actions.csv"
    )
    one.add_argument(
        "--participants", metavar="N", type=_number, help="in a session; 30, or 32 where four sit at a table"
    )
    ways = one.add_mutually_exclusive_group()
    ways.add_argument("--strategy", metavar="NAME", help="how all of them play; random")
    ways.add_argument("--mix", metavar="NAME:SHARE,NAME:SHARE", help="or several strategies, by their shares")
    one.add_argument("--repeat", metavar="R", type=_number, default=1, help="so many sessions; 1")
    one.add_argument(
        "--deals",
        metavar="FILE",
        type=_name,
        help="a path, or a file of deals/GAME/; seed to have them drawn",
    )
    one.add_argument("--hands", metavar="N", type=_number, help="the first N of the file, or so many drawn")
    one.add_argument(
        "--set", dest="settings", metavar="NAME=VALUE", action="append", default=[], help="a setting in force"
    )
    one.add_argument(
        "--seed", metavar="S", type=_seed, default=1, help="all that is drawn follows from it; 1"
    )
    one.set_defaults(run=_simulate)

    one = commands.add_parser("solve", help="Target the Two: best play for each hand of a show file")
    one.add_argument("show", metavar="SHOWFILE", help="a show file, like those in deals/ttt/")
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, required=True, help="where to write, like solve.csv"
    )
    one.add_argument(
        "--order",
        choices=("linear", "circular"),
        default="linear",
        help="the order of the cards, unless the file names its own; linear",
    )
    one.add_argument(
        "--view", choices=VIEWS, default="all", help="the ViewCard for which expected_moves holds; all"
    )
    one.add_argument(
        "--goal", choices=TTT_PACK, default="2H", help="the goal of hands for which the file names none; 2H"
    )
    one.add_argument(
        "--first", choices=KEEPERS, default="ck", help="their first mover, if the file names none; ck"
    )
    one.set_defaults(run=_solve)

    one = commands.add_parser("report", help="one HTML page with tables and plots, and the files of each")
    one.add_argument("sources", metavar="SOURCE", nargs="+", help=SOURCE_HELP)
    one.add_argument(
        "--out", metavar="DIR", type=_name, required=True, help="where to write; made if it is not there"
    )
    one.add_argument(
        "--by", metavar="NAME", default="", help="the column or setting that makes the conditions"
    )
    one.add_argument(
        "--threshold", metavar="NAME=VALUE", type=_threshold, action="append", default=[], help=_thresholds()
    )
    one.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds_or_none,
        default=10,
        help="Triangle Solitaire: for the best play of each deal (OR-Tools); 10, and 0 for no search",
    )
    _strict(one)
    one.set_defaults(run=_report)

    one = commands.add_parser("replay", help="look at hands again: one HTML file, step by step")
    one.add_argument("sources", metavar="SOURCE", nargs="+", help=SOURCE_HELP)
    which = one.add_mutually_exclusive_group(required=True)
    which.add_argument("--hand", metavar="HAND_ID", help="one hand; of a log PARTICIPANT-NUMBER, like Anna-3")
    which.add_argument("--participant", metavar="CODE", help="all hands of a participant")
    one.add_argument("--seat", metavar="SEAT", help="whose view to show; the participant's own")
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, default="replay.html", help="where; replay.html"
    )
    _strict(one)
    one.set_defaults(run=_replay)

    one = commands.add_parser("best", help="Triangle Solitaire: the best score each deal allows (OR-Tools)")
    one.add_argument("sources", metavar="ACTIONS.csv", nargs="+", help="a table of actions (custom_export)")
    one.add_argument(
        "-o", dest="out", metavar="FILE", type=_name, required=True, help="where to write, like best.csv"
    )
    one.add_argument("--time-limit", metavar="SECONDS", type=_seconds, default=60, help="for each deal; 60")
    _strict(one)
    one.set_defaults(run=_best)
    return parser


def _strict(one: argparse.ArgumentParser) -> None:
    one.add_argument(
        "--strict",
        action="store_true",
        help="stop with an error at the first damaged hand of a table; without it such hands are left out, "
        "with a warning",
    )


def _typed(read: Callable[[str], Any], holds: Callable[[Any], bool], what: str) -> Callable[[str], Any]:
    """What reads an argument for the parser, or says in a sentence what it must be."""

    def typed(text: str) -> Any:
        try:
            if holds(value := read(text)):
                return value
        except ValueError:
            pass
        raise argparse.ArgumentTypeError(f"must be {what}, not {quote(text)}")

    return typed


def _name_and_number(text: str) -> tuple[str, float]:
    name, _equals, value = text.partition("=")
    return name.strip(), float(value)


_name = _typed(str, str.strip, "a name")
_number = _typed(int, range(1, 1_000_000).__contains__, "a whole number from 1 to 999999")
_seed = _typed(int, lambda _seed: True, "a whole number")
_megabytes = _typed(float, lambda number: 0.001 <= number < 1e6, "a number from 0.001 to 999999")
_seconds = _typed(float, lambda number: 0 < number < 1e6, "a number of seconds from more than 0 to 999999")
_seconds_or_none = _typed(float, lambda number: 0 <= number < 1e6, "a number of seconds from 0 to 999999")
_threshold = _typed(
    _name_and_number, lambda pair: pair[0] and math.isfinite(pair[1]), "a threshold's NAME=NUMBER"
)


def _thresholds() -> str:
    """What may be given, with the defaults, of all games."""
    texts = [
        f"{name}={getattr(game.performance.Thresholds(), name)} ({meaning})"
        for game in by_name().values()
        for name, meaning in game.performance.THRESHOLDS.items()
    ]
    return ("; ".join(texts)).replace("%", "%%")


def _split(arguments: argparse.Namespace) -> None:
    written = split.write(Path(arguments.actions), Path(arguments.out), _warn, _damage(arguments))
    print(f"Wrote {_count(written, 'log file')} to {arguments.out}")


def _transform(arguments: argparse.Namespace) -> None:
    paths = _expanded(arguments.sources)
    if arguments.out is None:
        lines = _summary(paths, _damage(arguments))
        print("".join(f"{line}\n" for line in lines), end="", flush=True)
        print(f"{_wrote_summary(lines)} to the standard output", file=sys.stderr)
        return
    with whole_file(Path(arguments.out), paths) as file:
        lines = _summary(paths, _damage(arguments))
        file.writelines(f"{line}\n" for line in lines)
    print(f"{_wrote_summary(lines)} to {arguments.out}")


def _summary(paths: Sequence[Path], damage: sources.Damage) -> list[str]:
    hands_told = sources.hands(paths, _warn, moves_only=True, damage=damage)
    return summary.lines(sources.noticed(hands_told, _warn, "the sequence is that of the moment"))


def _wrote_summary(lines: Sequence[str]) -> str:
    return f"Wrote the layout and sequence of {_count(len(lines) // 2, 'hand')}"


def _hands(arguments: argparse.Namespace) -> None:
    paths = _expanded(arguments.sources)
    with whole_file(Path(arguments.out), paths) as file, _engine(arguments) as read:
        hands_told = sources.hands(paths, _warn, read, damage=_damage(arguments))
        written = hands.write(sources.noticed(hands_told, _warn), file)
    print(f"Wrote {_count(written, 'hand')} to {arguments.out}")


def _engine(arguments: argparse.Namespace) -> contextlib.AbstractContextManager[sources.Read | None]:
    """What reads tables; None for the usual way."""
    if arguments.engine == "dask":
        return dask_engine.reader(arguments.scheduler, int(1e6 * arguments.part_megabytes))
    if arguments.scheduler:
        raise BadFile("--scheduler", "A cluster is used with --engine dask only.")
    return contextlib.nullcontext()


def _simulate(arguments: argparse.Namespace) -> None:
    asked = simulate.simulation(
        arguments.game,
        strategy=arguments.strategy,
        mix=arguments.mix,
        participants=arguments.participants,
        settings=simulate.settings_of(arguments.settings),
        deals=arguments.deals,
        hands=arguments.hands,
        seed=arguments.seed,
        sessions=arguments.repeat,
    )
    with whole_file(Path(arguments.out), asked.sources) as file:
        written = simulate.write(asked, file)
    people = f"{_count(asked.participants, 'participant')} in {_count(asked.sessions, 'session')}"
    print(f"Wrote {_count(written, 'hand')} of {people} to {arguments.out}")


def _solve(arguments: argparse.Namespace) -> None:
    show = Path(arguments.show)
    with whole_file(Path(arguments.out), [show]) as file:
        written = solve.write(
            show,
            file,
            _warn,
            order=arguments.order.upper(),
            goal=arguments.goal,
            first=arguments.first,
            view_card=arguments.view,
        )
    print(f"Wrote {_count(written, 'hand')} to {arguments.out}")


def _report(arguments: argparse.Namespace) -> None:
    from analysis import report  # its libraries take a second to load, which no other command needs
    from analysis.report.data import gathered

    paths = _expanded(arguments.sources)
    damage = _damage(arguments)
    hands_told = sources.noticed(sources.hands(paths, _warn, damage=damage), _warn)
    limits = dict(arguments.threshold)
    data = gathered(hands_told, limits, arguments.by, arguments.time_limit, damage.by_session)
    written = report.write(data, Path(arguments.out), paths)
    print(f"Wrote {_count(written, 'file')} to {arguments.out}; open {Path(arguments.out) / report.NAME}")


def _replay(arguments: argparse.Namespace) -> None:
    paths = _expanded(arguments.sources)
    choice = {"hand_id": arguments.hand, "participant": arguments.participant, "seat": arguments.seat}
    with whole_file(Path(arguments.out), paths) as file:
        written = replay.write(sources.hands(paths, _warn, damage=_damage(arguments)), file, **choice)
    print(f"Wrote {_count(written, 'hand')} to {arguments.out}")


def _best(arguments: argparse.Namespace) -> None:
    paths = _expanded(arguments.sources)
    with whole_file(Path(arguments.out), paths) as file:
        hands_told = sources.hands(paths, _warn, damage=_damage(arguments))
        written = best.write(hands_told, file, arguments.time_limit)
    print(f"Wrote {_count(written, 'hand')} to {arguments.out}")


def _damage(arguments: argparse.Namespace) -> sources.Damage:
    return sources.Damage(_warn, arguments.strict)


def _expanded(names: Sequence[str]) -> list[Path]:
    """The files named; a pattern is resolved here where the shell has not done it (Windows)."""
    found = []
    for name in names:
        found += sorted(glob.glob(name)) if glob.has_magic(name) and not os.path.exists(name) else [name]
        if not found:
            raise BadFile(name, "No file has a name like this.")
    return [Path(name) for name in found]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _warn(sentence: str) -> None:
    print(f"warning: {_one_line(sentence)}", file=sys.stderr)


def _failed(sentence: str) -> int:
    with contextlib.suppress(BrokenPipeError):
        print(f"error: {_one_line(sentence)}", file=sys.stderr)
    return 2


def _one_line(sentence: str) -> str:
    """A file's name may have lines of its own."""
    return " ".join(sentence.splitlines())
