"""Runs the server and its timeout worker: ``python -m cardlab.server.run ADDRESS:PORT``.

Unlike ``otree prodserver`` it restarts a worker that has ended, without which time limits silently stop.
``lab.py`` starts and ends this process.
"""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import threading
import time

from uvicorn import Server

POLL_SECONDS = 0.1  # between two checks of worker and server
RESTART_DELAY_SECONDS = 2  # by then a server that is being stopped knows it


def keep_timeout_worker(server: Server, port: int) -> None:
    """Keeps one timeout worker running until the server stops. Runs in a thread."""

    def stops_within(seconds: float) -> bool:
        end = time.monotonic() + seconds
        while not server.should_exit and time.monotonic() < end:
            time.sleep(POLL_SECONDS)
        return server.should_exit

    while True:
        try:
            worker = subprocess.Popen([sys.executable, "-m", "cardlab.server.timeout_worker", str(port)])
        except OSError as error:
            ended = f"could not be started ({error})"
        else:
            while worker.poll() is None:
                if stops_within(POLL_SECONDS):
                    worker.terminate()
                    worker.wait()
                    return
            ended = f"stopped (exit code {worker.returncode})"
        if stops_within(RESTART_DELAY_SECONDS):
            return
        print(
            f"The timeout worker, which enforces time limits, {ended}. It is being restarted and "
            "will process overdue time limits.",
            file=sys.stderr,
            flush=True,
        )


def main(address: str, port: int) -> None:
    """Runs the server until a signal stops the process."""
    os.environ["USE_TIMEOUT_WORKER"] = "1"  # oTree reads it when it is imported
    import otree.main

    otree.main.setup()
    from cardlab.exports import worker_process
    from cardlab.live.lab import LAB
    from cardlab.server.asgi import make_server

    worker_process.remove_left_folders()  # lab.py runs one server per folder
    server = make_server(address, port)
    watch = threading.Thread(target=keep_timeout_worker, args=(server, port))
    watch.start()
    try:
        server.run()
    finally:
        LAB.hub.engine.end()
        server.should_exit = True
        watch.join()
        gc.unfreeze()  # so that the frozen database connections are closed, too
        gc.enable()


if __name__ == "__main__":
    os.umask(0o077)  # hides participants' data from other users of this computer
    host, _, port = sys.argv[1].rpartition(":")
    main(host, int(port))
