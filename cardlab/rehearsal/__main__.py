"""``python -m cardlab.rehearsal``: simulated participants play on servers that run already.

    python -m cardlab.rehearsal --url http://127.0.0.1:8000 --config ttt_demo --participants 30
    python -m cardlab.rehearsal --url http://127.0.0.1:8000 --session x8f2k1qz --pace human

With ``--config`` a session is made on every server that is named, and one before it in which a single
participant finds out what is right in the comprehension check. The key of the servers' REST interface is
taken from OTREE_REST_KEY. Exit code 1 if anything went wrong for a participant, 2 if nobody could play.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
from pathlib import Path
from typing import Any

from cardlab.rehearsal import processes
from cardlab.rehearsal.browser import Failed
from cardlab.rehearsal.figures import Figures, spread, times
from cardlab.rehearsal.forms import Answers
from cardlab.rehearsal.room import Room, learnt
from cardlab.rehearsal.server import Server, Session

SHOWN_ERRORS = 10


def main() -> int:
    arguments = _arguments()
    try:
        return rehearse(arguments)
    except Failed as error:
        print(error, file=sys.stderr)
        return 2


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m cardlab.rehearsal", description=__doc__.partition("\n")[0]
    )
    parser.add_argument(
        "--url", action="append", required=True, help="a server's address; several may be named"
    )
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--config", help="make a session of this config on each server")
    what.add_argument("--session", action="append", help="play this session; one for each address")
    parser.add_argument(
        "--participants", type=int, default=30, help="of each session that is made; default 30"
    )
    parser.add_argument("--pace", choices=("fast", "human"), default="fast")
    parser.add_argument("--seed", default="1", help="of what the participants do; default 1")
    parser.add_argument(
        "--arrive", type=float, default=0.0, metavar="SECONDS", help="within which all come; default 0"
    )
    parser.add_argument(
        "--field", action="append", default=[], metavar="NAME=VALUE", help="a field of the session config"
    )
    parser.add_argument("--pid", type=int, help="a server's process, whose load is told (Linux)")
    parser.add_argument("--out", type=Path, help="a file for all figures, as JSON")
    return parser.parse_args()


def rehearse(asked: argparse.Namespace) -> int:
    """Make the sessions if need be, play them, and tell."""
    servers = [Server(url, os.environ.get("OTREE_REST_KEY", "")) for url in asked.url]
    answers = Answers()
    if asked.config:
        fields = [fields_of(server.config(asked.config), asked.field) for server in servers]
        scouts = servers[0].config(asked.config)["num_demo_participants"]
        scouted = servers[0].create(asked.config, scouts, fields[0])
        answers = asyncio.run(learnt(scouted.links[0], asked.seed))
        sessions = [
            server.create(asked.config, asked.participants, own) for server, own in zip(servers, fields)
        ]
    elif len(asked.session) == len(servers):
        sessions = [server.session(code) for server, code in zip(servers, asked.session)]
    else:
        raise Failed("Name one --session for each --url.")
    figures = Figures()
    room = Room(asked.pace == "human", asked.seed, asked.arrive, figures, answers)
    before = processes.load(asked.pid) if asked.pid else None
    asyncio.run(room.play(in_turn([session.links for session in sessions])))
    after = processes.load(asked.pid) if before else None
    told = {
        **figures.told(),
        "sessions": [session._asdict() for session in sessions],
        "pay": [pay for server, session in zip(servers, sessions) for pay in pays(server, session)],
        "server_cpu_seconds": after.cpu - before.cpu if after and before else None,
        "server_memory_bytes": after.memory if after else None,
    }
    if asked.out:
        asked.out.write_text(json.dumps(told, indent=1), "utf-8")
    print("\n".join(summary(figures, told, asked.pace == "human")), flush=True)
    return 1 if figures.errors else 0


def in_turn(links: list[list[str]]) -> list[str]:
    """The links of all sessions, one of each after the other, so that all fill up alike."""
    longest = max(map(len, links))
    return [own[place] for place in range(longest) for own in links if place < len(own)]


def fields_of(config: dict[str, Any], told: list[str]) -> dict[str, Any]:
    """Fields of a session config that are told as ``name=value``, each of the type that it has there."""
    fields: dict[str, Any] = {}
    for text in told:
        name, equals, value = text.partition("=")
        if not equals:
            raise Failed(f"--field reads NAME=VALUE, not '{text}'.")
        there = config.get(name, config.get(name.rpartition(".")[2]))  # or that of one app: app.name
        try:
            if isinstance(there, bool):
                fields[name] = {"true": True, "false": False}[value.lower()]
            else:
                fields[name] = type(there)(value) if isinstance(there, (int, float)) else value
        except (KeyError, ValueError):
            kind = "True or False" if isinstance(there, bool) else "a number"
            raise Failed(f"The field {name} is {kind}, not '{value}'.") from None
    return fields


def pays(server: Server, session: Session) -> list[float]:
    """What each is paid who came to a session, by its table of payments."""
    return [float(row["total"]) for row in server.payments(session.code)]


def summary(figures: Figures, told: dict[str, Any], human: bool) -> list[str]:
    """What a person reads at the end."""
    whole, finished = told["seconds"], figures.finished
    places = sum(len(session["links"]) for session in told["sessions"])
    lines = [f"{len(finished)} of {places} participants came to the end, in {whole:.0f} s."]
    if finished and human:
        lines.append(f"Time a participant needs: {times([one.seconds for one in finished])}.")
    elif finished:
        needed = times([one.seconds + one.thought for one in finished])
        lines.append(
            f"Time a participant would need who takes 3 s for an action and 10 s for a page: {needed} "
            "(with --pace human it is measured, waiting for others included)."
        )
    if told["pay"]:
        lines.append(f"Pay, with the fee: {spread(told['pay'])}.")
    if told["server_cpu_seconds"] is not None:
        cpu = told["server_cpu_seconds"]
        lines.append(
            f"The server used {cpu:.1f} s of processor time, {100 * cpu / whole:.0f} % of one core, and has "
            f"{told['server_memory_bytes'] / 1e6:.0f} MB of memory."
        )
    lines += figures.lines()
    lines.append(f"Errors: {len(figures.errors)}")
    lines += [f"    {error}" for error in figures.errors[:SHOWN_ERRORS]]
    if figures.errors[SHOWN_ERRORS:]:
        lines.append(f"    and {len(figures.errors) - SHOWN_ERRORS} more")
    return lines


if __name__ == "__main__":
    sys.exit(main())
