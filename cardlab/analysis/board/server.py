"""Serves the board on this computer, only to its own page.

The address has a random token, so that no other page can send requests. A page of another site whose name
points to this computer (DNS rebinding) sends its own name as the host and is rejected. Requests that change
something must have the page's origin.
"""

import hmac
import json
import secrets
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qsl, unquote, urlsplit

from cardlab.analysis.board import page
from cardlab.analysis.board.api import Board, RequestError
from cardlab.games.registry import games_by_name

LOOPBACK = "127.0.0.1"
HOSTS = (LOOPBACK, "localhost")
MAX_BYTES = 50_000_000  # of a request
TIMEOUT_SECONDS = 30  # for receiving a request

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}
CACHEABLE = "static/"  # files below this path may be cached, because each start has a new address

NOT_FOUND = "There is nothing at this address. Use the address that the command printed."


class BoardServer(ThreadingHTTPServer):
    """The HTTP server of a board, by default on a free port."""

    daemon_threads = True

    def __init__(self, board: Board, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), _Handler)
        self.board = board
        self.token = secrets.token_urlsafe(16)
        self.hosts = {f"{host}:{self.server_port}" for host in HOSTS}

    def handle_error(self, _request: Any, _client_address: Any) -> None:
        """Prints nothing, because the browser closed the connection."""

    @property
    def address(self) -> str:
        """The address to open."""
        return f"http://{LOOPBACK}:{self.server_port}/{self.token}/"


class _Reply(Exception):
    """An error response: a status and a sentence."""

    def __init__(self, status: HTTPStatus, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence


class _Handler(BaseHTTPRequestHandler):
    server: BoardServer
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "CardLab", ""
    timeout = TIMEOUT_SECONDS

    def do_GET(self) -> None:  # the name that http.server calls
        self._serve(self._get)

    def do_POST(self) -> None:  # the name that http.server calls
        self._serve(self._post)

    def _serve(self, handle: Any) -> None:
        try:
            self._check_sender()
            path = self._path()
            content, kind = handle(path)
            self._send(
                HTTPStatus.OK, content, kind, "max-age=86400" if path.startswith(CACHEABLE) else "no-store"
            )
        except _Reply as reply:
            self.send_error(reply.status, reply.sentence)
        except RequestError as error:
            self.send_error(HTTPStatus.BAD_REQUEST, str(error))
        except ConnectionError:
            self.close_connection = True
        except Exception as error:  # noqa: BLE001  # the page gets a sentence, not a traceback
            print(f"warning: A request failed ({type(error).__name__}: {error}).", file=sys.stderr)
            self.send_error(HTTPStatus.INTERNAL_SERVER_ERROR, "The board could not answer this request.")

    def _check_sender(self) -> None:
        """Raises _Reply unless the request was sent to this computer by the page itself."""
        host = self.headers.get("Host", "")
        if host not in self.server.hosts:
            raise _Reply(HTTPStatus.FORBIDDEN, f"Open this page as http://{LOOPBACK}, not by another name.")
        origin, site = self.headers.get("Origin"), self.headers.get("Sec-Fetch-Site", "none")
        is_own = origin == f"http://{host}" if origin else self.command == "GET"
        if not is_own or site not in ("same-origin", "none"):
            raise _Reply(HTTPStatus.FORBIDDEN, "Only the page of the board may ask.")

    def _path(self) -> str:
        """Returns the path below the token. Raises _Reply if the token is wrong."""
        _empty, token, *path_parts = unquote(urlsplit(self.path).path).split("/", 2)
        if not path_parts or not hmac.compare_digest(token.encode(), self.server.token.encode()):
            raise _Reply(HTTPStatus.NOT_FOUND, NOT_FOUND)
        return path_parts[0]

    def _get(self, path: str) -> tuple[bytes, str]:
        query = dict(parse_qsl(urlsplit(self.path).query))
        if path.startswith("api/"):
            return self._json(self.server.board.answer(path.removeprefix("api/"), query, changes=False))
        if path == "table":
            game = games_by_name().get(query.get("game", ""))
            if game is None:
                raise _Reply(HTTPStatus.NOT_FOUND, "There is no such game.")
            return page.render_table(game).encode(), page.TYPES[".html"]
        file = page.find_file(path or "board.html")
        if file is None:
            raise _Reply(HTTPStatus.NOT_FOUND, NOT_FOUND)
        return file.read_bytes(), page.TYPES[file.suffix]

    def _post(self, path: str) -> tuple[bytes, str]:
        request = self._read_body()
        return self._json(self.server.board.answer(path.removeprefix("api/"), request, changes=True))

    def _read_body(self) -> dict[str, Any]:
        """Returns the JSON object of the body. Raises _Reply."""
        length = self.headers.get("Content-Length", "")
        if not length.isdecimal():
            raise _Reply(HTTPStatus.LENGTH_REQUIRED, "The request does not say how long it is.")
        if int(length) > MAX_BYTES:
            megabytes = MAX_BYTES // 1_000_000
            raise _Reply(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE,
                f"This is more than {megabytes} MB. Name the file on the command line instead.",
            )
        if self.headers.get_content_type() != "application/json":
            raise _Reply(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "The request must be JSON.")
        try:
            request = json.loads(self.rfile.read(int(length)))
        except (ValueError, RecursionError):
            request = None
        if not isinstance(request, dict):
            raise _Reply(HTTPStatus.BAD_REQUEST, "The request must be a JSON object.")
        return request

    def _json(self, answer: dict[str, Any]) -> tuple[bytes, str]:
        return json.dumps(answer, ensure_ascii=False).encode(), "application/json"

    def _send(self, status: int, content: bytes, kind: str, caching: str = "no-store") -> None:
        self.send_response(status)
        for name, value in {**HEADERS, "Cache-Control": caching}.items():
            self.send_header(name, value)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, _explain: str | None = None) -> None:
        """Sends a sentence as JSON, also for requests that http.server rejects."""
        self.close_connection = True  # the body may not have been read
        sentence = message or "The request cannot be read."
        content, kind = self._json({"error": sentence})
        try:
            self._send(code, content, kind)
        except ConnectionError:
            return

    def log_message(self, format: str, *args: Any) -> None:  # the name of the base class
        """Prints nothing, because the address contains the token."""
