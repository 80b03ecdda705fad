# The parts of uvicorn 0.13.4 that Card Lab uses.
import socket
from typing import Any

from starlette.types import ASGIApp

class Config:
    app: ASGIApp | str
    loaded_app: ASGIApp
    loaded: bool
    proxy_headers: bool
    forwarded_allow_ips: str | None
    def __init__(self, app: ASGIApp | str, **options: Any) -> None: ...
    def load(self) -> None: ...

class ServerState:
    total_requests: int
    connections: set[Any]
    default_headers: list[tuple[bytes, bytes]]

class Server:
    config: Config
    server_state: ServerState
    started: bool
    should_exit: bool
    force_exit: bool
    def __init__(self, config: Config) -> None: ...
    def run(self, sockets: list[socket.socket] | None = None) -> None: ...
    async def serve(self, sockets: list[socket.socket] | None = None) -> None: ...
    async def startup(self, sockets: list[socket.socket] | None = None) -> None: ...
    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None: ...
    def install_signal_handlers(self) -> None: ...
    def handle_exit(self, sig: int, frame: Any) -> None: ...
