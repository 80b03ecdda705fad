import asyncio
from typing import Any

from uvicorn import Config, ServerState

class WebSocketProtocol(asyncio.Protocol):
    config: Config
    transport: asyncio.Transport
    scope: dict[str, Any]
    def __init__(
        self, config: Config, server_state: ServerState, _loop: asyncio.AbstractEventLoop | None = None
    ) -> None: ...
    def connection_made(self, transport: asyncio.Transport) -> None: ...  # type: ignore[override]
