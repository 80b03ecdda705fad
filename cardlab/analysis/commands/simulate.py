"""The command ``simulate``: simulates sessions and writes their table of actions."""

import argparse
import textwrap
from collections.abc import Iterator
from pathlib import Path

from cardlab.analysis import cli
from cardlab.analysis.cli import NAME, NUMBER, format_count
from cardlab.analysis.output import table_file
from cardlab.analysis.simulation import plan, sessions
from cardlab.games.registry import games_by_name
from cardlab.games.simulation import strategy_names

HELP = "simulate sessions and write a table of actions"

SEED = cli.argument_type(int, lambda _seed: True, "a whole number")


def declare(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("game", metavar="GAME", help=", ".join(games_by_name()))
    cli.add_output_argument(parser, "actions.csv")
    parser.add_argument(
        "--participants",
        metavar="N",
        type=NUMBER,
        help="participants in a session; default: 30, or 32 with four at a table",
    )
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--strategy", metavar="NAME", help="the strategy of all; default: random")
    ways.add_argument("--mix", metavar="NAME:SHARE,NAME:SHARE", help="several strategies with their shares")
    ways.add_argument(
        "--seats",
        metavar="SEAT=NAME,SEAT=NAME",
        help="a strategy for each seat, such as ck=informed,nk=random",
    )
    parser.add_argument(
        "--repeat", metavar="R", type=NUMBER, default=1, help="number of sessions; default: 1"
    )
    parser.add_argument("--deals", metavar="FILE", type=NAME, help="a deal file, or seed to draw the deals")
    parser.add_argument("--hands", metavar="N", type=NUMBER, help="number of hands")
    cli.add_settings_argument(parser, "a setting of the session")
    parser.add_argument("--treatments", metavar="FILE", type=NAME, help="a treatment file")
    parser.add_argument("--seed", metavar="S", type=SEED, default=1, help="the seed; default: 1")


def more_help() -> str:
    """Returns the list of strategies of all games."""
    return "\n".join(["strategies:", *_strategies()])


def _strategies() -> Iterator[str]:
    for game in games_by_name().values():
        names = ", ".join(strategy_names(game.load_module("strategies").STRATEGIES))
        yield textwrap.fill(names, 78, initial_indent=f"  {game.name:<11}", subsequent_indent=" " * 13)
    yield textwrap.fill(
        "NAME=FACTOR multiplies the strength of what the strategy is named after: "
        "routinizing=0.5 has half the habit, routinizing=0 none.",
        78,
        initial_indent="  ",
        subsequent_indent="  ",
    )


def run(arguments: argparse.Namespace) -> None:
    simulation = plan.plan_simulation(
        arguments.game,
        strategy=arguments.strategy,
        mix=arguments.mix,
        seats=arguments.seats,
        participants=arguments.participants,
        settings=plan.parse_settings(arguments.settings),
        deals=arguments.deals,
        hands=arguments.hands,
        seed=arguments.seed,
        sessions=arguments.repeat,
        treatments=arguments.treatments,
    )
    for name, request in simulation.requests.items():
        for field in request.left_out:
            cli.warn(f"In treatment {name}, {field} is ignored, because it does not affect the simulation.")
    with table_file(Path(arguments.out), simulation.sources) as file:
        hand_count = sessions.write_table(simulation, file)
    participants = format_count(simulation.participants * simulation.sessions, "participant")
    session_count = format_count(simulation.sessions, "session")
    print(f"Wrote {format_count(hand_count, 'hand')} of {participants} in {session_count} to {arguments.out}")
