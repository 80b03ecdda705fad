import asyncio
from typing import Any

from uvicorn import Config, ServerState

class WebSocketProtocol(asyncio.Protocol):
    config: Config
    transport: asyncio.Transport
    scope: dict[str, Any]
    # of the library websockets
    available_extensions: list[Any]
    max_queue: int | None
    logger: Any
    ws_handler: Any
    transfer_data_exc: BaseException | None
    async def handler(self) -> None: ...
    def __init__(
        self, config: Config, server_state: ServerState, _loop: asyncio.AbstractEventLoop | None = None
    ) -> None: ...
    def connection_made(self, transport: asyncio.Transport) -> None: ...  # type: ignore[override]
