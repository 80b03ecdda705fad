"""Provides a stand-in for the export process; the view's name determines its behaviour."""

import json
import os
import sys
import time
from pathlib import Path
from queue import SimpleQueue

from cardlab.exports.worker import FAILED, RESULT
from cardlab.exports.worker_process import exit_with_server, lower_priority, take_stdout


def answer(view: str, query: dict[str, str], folder: str) -> dict:
    """Returns the answer to the server; ``query`` is that of the export."""
    if view == "die":
        os._exit(9)
    if view == "hang":
        time.sleep(600)
    if view == "fail":
        return {"status": FAILED}
    print("printed by the way")
    Path(folder, RESULT).write_bytes(f"{os.getpid()} {os.nice(0)} {json.dumps(query)}".encode())
    return {"stem": view}


if __name__ == "__main__":
    asked: SimpleQueue[bytes] = SimpleQueue()
    lower_priority()
    exit_with_server(sys.argv[1], asked.put)
    tell = take_stdout()
    while True:
        tell(json.dumps(answer(*json.loads(asked.get()), sys.argv[1])))
