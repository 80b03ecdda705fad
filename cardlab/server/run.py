"""oTree's production server, its timeout worker watched: ``python -m cardlab.server.run ADDRESS:PORT``.

``otree prodserver`` starts the worker and never looks at it again; when it has ended no time limit is
kept any more, without a word. ``lab.py`` starts and ends this module's process.
"""

from __future__ import annotations

import gc
import logging
import os
import subprocess
import sys
import threading
import time
from typing import Any

from uvicorn import Config, Server
from uvicorn.protocols.websockets.websockets_impl import WebSocketProtocol

from cardlab.core.engine_pool import ENGINE

LOOK = 0.1  # seconds between two looks at worker and server
UNREAD_MESSAGES = 2  # of one connection, up to 1 MB each, before the server stops reading from it
PAUSE = 2  # seconds before another worker; a server told to stop together with its worker knows by then


class PlainWebSocket(WebSocketProtocol):
    """A connection of a page, of which that of a hand has two. Messages go uncompressed: they are short, and
    compressing takes 0.3 MB for each connection.

    One that has ended goes at once: the library's own refers to itself in four ways, and would stay, with a
    hundred objects, until Python looks through all that it has for what nobody needs any more.
    """

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self.available_extensions = []
        self.max_queue = UNREAD_MESSAGES
        self.logger = logging.getLogger("websockets.server")

    async def handler(self) -> None:
        """From the first byte to the last."""
        try:
            await super().handler()
        finally:
            self.ws_handler = self.transfer_data_exc = None
            vars(self).pop("keepalive_ping_task", None)


def keep_timeout_worker(server: Server, port: int) -> None:
    """Have one timeout worker running for as long as the server shall, whatever becomes of it."""

    def stopping(within: float) -> bool:
        end = time.monotonic() + within
        while not server.should_exit and time.monotonic() < end:
            time.sleep(LOOK)
        return server.should_exit

    while True:
        try:
            worker = subprocess.Popen([sys.executable, "-m", "cardlab.server.timeout_worker", str(port)])
        except OSError as error:
            ended = f"cannot be started ({error})"
        else:
            while worker.poll() is None:
                if stopping(LOOK):
                    worker.terminate()
                    worker.wait()
                    return
            ended = f"ended (exit code {worker.returncode})"
        if stopping(PAUSE):
            return
        print(
            f"The timeout worker, which keeps time limits, {ended}. "
            "Another one is started, and does what is overdue.",
            file=sys.stderr,
            flush=True,
        )


def main(address: str, port: int) -> None:
    """Serve until told to stop."""
    os.environ["USE_TIMEOUT_WORKER"] = "1"  # oTree reads it when it is imported
    import otree.main

    otree.main.setup()
    # The same as oTree's own: its logging, and WebSockets by the library that answers pings.
    config = Config(
        "otree.asgi:app", host=address, port=port, log_config=None, log_level="info", ws=PlainWebSocket
    )
    server = Server(config)
    watch = threading.Thread(target=keep_timeout_worker, args=(server, port))
    watch.start()
    try:
        server.run()
    finally:
        ENGINE.end()
        server.should_exit = True
        watch.join()
        gc.unfreeze()  # so that the database is closed as well (cardlab.server.gc_schedule)
        gc.enable()


if __name__ == "__main__":
    os.umask(0o077)  # participants' data: other users of this computer may not read what the server writes
    here, _, number = sys.argv[1].rpartition(":")
    main(here, int(number))
