import asyncio
from typing import Any

from uvicorn import Config, ServerState

class RequestResponseCycle:
    response_complete: bool

# AutoHTTPProtocol is this class, or one with the same methods on httptools, which is not installed here.
class H11Protocol(asyncio.Protocol):
    config: Config
    loop: asyncio.AbstractEventLoop
    server_state: ServerState
    connections: set[Any]
    transport: asyncio.Transport
    client: tuple[str, int] | None
    scope: dict[str, Any]  # None before the first request
    headers: list[tuple[bytes, bytes]]
    cycle: RequestResponseCycle | None
    def __init__(
        self, config: Config, server_state: ServerState, _loop: asyncio.AbstractEventLoop | None = None
    ) -> None: ...
    def connection_made(self, transport: asyncio.Transport) -> None: ...  # type: ignore[override]
    def handle_upgrade(self, event: Any) -> None: ...
    def on_response_complete(self) -> None: ...
    def shutdown(self) -> None: ...
    def timeout_keep_alive_handler(self) -> None: ...
    def _unset_keepalive_if_required(self) -> None: ...
