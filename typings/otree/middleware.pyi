import asyncio

from starlette.middleware.base import BaseHTTPMiddleware
from starlette.middleware.sessions import SessionMiddleware as SessionMiddleware

lock2: asyncio.Lock
PATHS_WITHOUT_LOCK: list[str] | None

def _get_paths_without_lock() -> list[str]: ...

class CommitTransactionMiddleware(BaseHTTPMiddleware): ...
class PerfMiddleware(BaseHTTPMiddleware): ...
