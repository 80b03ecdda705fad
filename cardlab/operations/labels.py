"""``lab.py labels``: exchanges the labels of participants in studies with other servers, as hashes."""

import argparse
from pathlib import Path

from cardlab.operations.download import fetch_file
from cardlab.operations.rest import fetch_json
from cardlab.operations.running_server import server_url
from cardlab.operations.terminal import Commands, Refusal, say

MAX_LINES = 4000  # in a request, which may have 1 MB


def add_command(commands: Commands) -> None:
    """Adds ``lab.py labels``."""
    command = commands.add_parser(
        "labels", help="exchange the labels of participants in studies with another server"
    )
    what = command.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=Path, metavar="FILE", help="write the hashes of the labels to a file")
    what.add_argument(
        "--from",
        dest="source",
        type=Path,
        metavar="FILE",
        help="add the hashes in the file of another server",
    )
    what.add_argument("--forget", metavar="LABEL", help="delete all entries of a label")
    command.add_argument("--url", help="the server's address; default: the server running from this folder")
    command.set_defaults(do=run_command)


def run_command(options: argparse.Namespace) -> int:
    """Exports, imports or forgets; prints what was done."""
    url = options.url or server_url()
    if options.to:
        if options.to.is_dir():
            raise Refusal(f"{options.to} is a folder. Add the name of a file to it.")
        fetch_file(url, "/api/labels", options.to, "")
        say(f"The labels of all studies were written to {options.to}, as hashes.")
        return 0
    if options.forget is not None:
        payload = {"forget": options.forget}
        say(f"Entries deleted: {fetch_json(url, '/api/labels', payload=payload)['count']}")
        return 0
    try:
        heading, *lines = options.source.read_text("utf-8-sig").splitlines() or [""]
    except (OSError, ValueError) as error:
        raise Refusal(f"{options.source} cannot be read ({error}).") from error
    added = 0
    for start in range(0, max(1, len(lines)), MAX_LINES):
        payload = {"entries": "\n".join([heading, *lines[start : start + MAX_LINES]]) + "\n"}
        added += fetch_json(url, "/api/labels", payload=payload)["count"]
    say(f"Labels added: {added}")
    return 0
