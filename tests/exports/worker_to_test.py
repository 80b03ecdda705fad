"""Provides a stand-in for the export process; the view's name determines its behaviour."""

import json
import os
import sys
import time
from pathlib import Path
from queue import SimpleQueue

from cardlab.exports.worker import FAILED
from cardlab.exports.worker_process import exit_with_server, lower_priority, take_stdout


def answer(view: str, query: dict[str, str], file: Path) -> dict:
    """Returns the last answer to the server; ``query`` is the export's query."""
    if view == "die":
        os._exit(9)
    if view == "hang":
        time.sleep(600)
    if view == "slow":  # longer than the server waits without progress
        with open(file, "w") as table:
            for number in range(int(query["rows"])):
                time.sleep(0.2)
                print(number, file=table, flush=True)
                tell(json.dumps({"stem": view, "progress": [number + 1, number + 1, int(query["rows"])]}))
        return {"status": FAILED} if "fails" in query else {"stem": view, "done": True}
    if view == "fail":
        return {"status": FAILED}
    print("printed by the way")
    file.write_bytes(f"{os.getpid()} {os.nice(0)} {json.dumps(query)}".encode())
    return {"stem": view, "done": True}


if __name__ == "__main__":
    asked: SimpleQueue[bytes] = SimpleQueue()
    lower_priority()
    exit_with_server(sys.argv[1], asked.put)
    tell = take_stdout()
    while True:
        asked_view, asked_query, name = json.loads(asked.get())
        tell(json.dumps(answer(asked_view, asked_query, Path(sys.argv[1], name))))
