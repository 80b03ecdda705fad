class URL:
    drivername: str
    username: str | None
    password: str | None
    host: str | None
    port: int | None
    database: str | None
    def get_backend_name(self) -> str: ...

def make_url(name_or_url: str | URL) -> URL: ...
