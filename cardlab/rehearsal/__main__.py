"""``python -m cardlab.rehearsal``: simulated participants play on running servers.

    python -m cardlab.rehearsal --url http://127.0.0.1:8000 --config ttt_demo --participants 30
    python -m cardlab.rehearsal --url http://127.0.0.1:8000 --session x8f2k1qz --pace human
    python -m cardlab.rehearsal --url http://127.0.0.1:8000 --config matrix_two --online

With ``--config`` a session is created on every named server. Before that, one participant of another session
finds the right answers of the comprehension check. OTREE_REST_KEY has the key of the REST interface.
The exit code is 1 if a participant met an error or a promise was broken, 2 if none could play.
"""

import argparse
import asyncio
import json
import os
import sys
from itertools import zip_longest
from pathlib import Path
from typing import Any

from cardlab import open_files
from cardlab.rehearsal import online, processes
from cardlab.rehearsal.browser import RehearsalError
from cardlab.rehearsal.cohort import Cohort, scout_answers
from cardlab.rehearsal.figures import Figures, spread, times
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.server import Server, parse_fields

SHOWN_ERRORS = 10


def main() -> int:
    """Runs the command; returns the exit code."""
    try:
        return rehearse(_parse_arguments())
    except RehearsalError as error:
        print(error, file=sys.stderr)
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m cardlab.rehearsal", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument(
        "--url",
        action="append",
        required=True,
        help="the address of a server; repeat the option for several servers",
    )
    targets = parser.add_mutually_exclusive_group(required=True)
    targets.add_argument("--config", help="create a session of this config on each server")
    targets.add_argument("--session", action="append", help="play this session; name one for each server")
    parser.add_argument(
        "--participants", type=int, default=30, help="the participants in each created session; default 30"
    )
    parser.add_argument("--pace", choices=("fast", "human"), default="fast")
    parser.add_argument("--seed", default="1", help="the seed of the participants' decisions; default 1")
    parser.add_argument(
        "--arrive",
        type=float,
        default=0.0,
        metavar="SECONDS",
        help="the seconds within which all participants arrive; default 0",
    )
    parser.add_argument(
        "--field", action="append", default=[], metavar="NAME=VALUE", help="set a field of the session config"
    )
    parser.add_argument(
        "--online",
        action="store_true",
        help="play as participants of a recruiting service, who come one by one, leave and are replaced; "
        "the session makes slots on arrival",
    )
    parser.add_argument(
        "--minutes",
        type=float,
        default=30.0,
        help="with --online: within how many minutes all places are taken for the first time; default 30",
    )
    parser.add_argument("--pid", type=int, help="report the load of this server process (Linux)")
    parser.add_argument("--out", type=Path, help="write all figures to this file, as JSON")
    return parser.parse_args()


def rehearse(options: argparse.Namespace) -> int:
    """Creates the sessions if necessary, plays them, and prints a summary."""
    open_files.raise_limit()  # each participant has three connections
    if options.online:
        return online.rehearse(options)
    servers = [Server(url, os.environ.get("OTREE_REST_KEY", "")) for url in options.url]
    answers = Answers()
    if options.config is not None:
        fields = [parse_fields(server.config(options.config), options.field) for server in servers]
        scouts = servers[0].config(options.config)["num_demo_participants"]
        scouted = servers[0].create(options.config, scouts, fields[0])
        answers = asyncio.run(scout_answers(scouted.links[0], options.seed))
        sessions = [
            server.create(options.config, options.participants, own_fields)
            for server, own_fields in zip(servers, fields)
        ]
    elif len(options.session) == len(servers):
        sessions = [server.session(code) for server, code in zip(servers, options.session)]
    else:
        raise RehearsalError("Name one --session for each --url.")
    figures = Figures()
    cohort = Cohort(options.pace == "human", options.seed, options.arrive, figures, answers)
    before = processes.resource_usage(options.pid) if options.pid else None
    asyncio.run(cohort.play(interleave([session.links for session in sessions])))
    after = processes.resource_usage(options.pid) if before else None
    results = {
        **figures.as_json(),
        "sessions": [session._asdict() for session in sessions],
        "pay": [
            float(row["total"])
            for server, session in zip(servers, sessions)
            for row in server.payments(session.code)
        ],
        "server_cpu_seconds": after.cpu - before.cpu if after and before else None,
        "server_memory_bytes": after.memory if after else None,
    }
    if options.out:
        options.out.write_text(json.dumps(results, indent=1), "utf-8")
    print("\n".join(summary(figures, results, options.pace == "human")), flush=True)
    return 1 if figures.errors else 0


def interleave(links: list[list[str]]) -> list[str]:
    """Returns the links of all sessions in turn, so that the sessions fill up evenly."""
    return [link for row in zip_longest(*links) for link in row if link]


def summary(figures: Figures, results: dict[str, Any], human: bool) -> list[str]:
    """Returns the lines that are printed at the end."""
    seconds, finished = results["seconds"], figures.finished
    participants = sum(len(session["links"]) for session in results["sessions"])
    lines = [f"{len(finished)} of {participants} participants finished, in {seconds:.0f} s."]
    if finished and human:
        lines.append(f"Time per participant: {times([finish.seconds for finish in finished])}.")
    elif finished:
        times_needed = times([finish.seconds + finish.thought for finish in finished])
        lines.append(
            "Estimated time of a participant who takes 3 s per action and 10 s per page: "
            f"{times_needed} (--pace human measures it, including waiting for others)."
        )
    if results["pay"]:
        lines.append(f"Payment, including the fee: {spread(results['pay'])}.")
    if results["server_cpu_seconds"] is not None:
        cpu = results["server_cpu_seconds"]
        lines.append(
            f"The server used {cpu:.1f} s of processor time ({100 * cpu / seconds:.0f} % of one "
            f"core) and {results['server_memory_bytes'] / 1e6:.0f} MB of memory."
        )
    lines += figures.table_lines()
    lines.append(f"Errors: {len(figures.errors)}")
    lines += [f"    {error}" for error in figures.errors[:SHOWN_ERRORS]]
    if figures.errors[SHOWN_ERRORS:]:
        lines.append(f"    and {len(figures.errors) - SHOWN_ERRORS} more")
    return lines


if __name__ == "__main__":
    sys.exit(main())
