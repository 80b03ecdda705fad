from typing import Any

class URL:
    drivername: str
    username: str | None
    password: str | None
    host: str | None
    port: int | None
    database: str | None
    query: dict[str, Any]
    def __init__(
        self,
        drivername: str,
        username: str | None = None,
        password: str | None = None,
        host: str | None = None,
        port: int | None = None,
        database: str | None = None,
        query: dict[str, Any] | None = None,
    ) -> None: ...
    def get_backend_name(self) -> str: ...

def make_url(name_or_url: str | URL) -> URL: ...
