"""Creates and reads the sessions of a server through oTree's REST interface."""

import csv
import difflib
import io
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import urlencode

from cardlab.rehearsal.browser import RehearsalError

TIMEOUT = 600  # seconds; creating a session of hundreds with many rounds takes long


class Session(NamedTuple):
    """A session on a server, the start links of its participants, and the link for everybody."""

    url: str
    code: str
    links: list[str]
    link: str = ""


class Server:
    """A Card Lab server at an address, with its REST key. All methods raise RehearsalError."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self._key = url.rstrip("/"), key

    def config(self, name: str) -> dict[str, Any]:
        """Returns a session config by name."""
        configs = {config["name"]: config for config in self._fetch_json("/api/session_configs")}
        if name not in configs:
            near = difflib.get_close_matches(name, configs, 1)
            hint = f" Did you mean {near[0]}?" if near else ""
            raise RehearsalError(
                f"Unknown session config {name}.{hint} The session configs are {', '.join(configs)}."
            )
        config: dict[str, Any] = configs[name]
        return config

    def create(self, config: str, participants: int, fields: Mapping[str, Any]) -> Session:
        """Creates a session of a config, with some fields changed."""
        request = {
            "session_config_name": config,
            "num_participants": participants,
            "modified_session_config_fields": dict(fields),
        }
        created = self._fetch_json("/api/sessions", request)
        return self.session(created["code"])._replace(link=created["session_wide_url"])

    def session(self, code: str) -> Session:
        """Returns an existing session."""
        participants = self._fetch_json(f"/api/sessions/{code}")["participants"]
        rows = sorted(participants, key=lambda row: row["id_in_session"])
        return Session(self.url, code, [f"{self.url}/InitializeParticipant/{row['code']}" for row in rows])

    def payments(self, code: str) -> list[dict[str, str]]:
        """Returns a session's table of payments, with a row for each participant who arrived."""
        table = self._fetch(f"/api/payments/{code}").decode("utf-8")
        return list(csv.DictReader(io.StringIO(table, newline="")))

    def custom_export(self, code: str, app: str, function: str) -> list[dict[str, str]]:
        """Returns the rows of one of an app's exports of a session."""
        query = urlencode({"app": app, "session_code": code, "function_name": function})
        table = self._fetch(f"/api/export_app_custom?{query}").decode("utf-8")
        return list(csv.DictReader(io.StringIO(table, newline="")))

    def _fetch_json(self, path: str, payload: Any = None) -> Any:
        return json.loads(self._fetch(path, payload))

    def _fetch(self, path: str, payload: Any = None) -> bytes:
        data = None if payload is None else json.dumps(payload).encode()
        if not self.url.startswith(("http://", "https://")):
            raise RehearsalError(f"--url must begin with http:// or https://, not '{self.url}'.")
        headers = {"otree-rest-key": self._key}
        request = urllib.request.Request(self.url + path, data, headers)  # noqa: S310 the scheme was checked
        no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with no_proxy.open(request, timeout=TIMEOUT) as response:
                content: bytes = response.read()
                return content
        except urllib.error.HTTPError as error:
            if error.code == 403:
                raise RehearsalError(
                    f"The server at {self.url} rejected the key. Set OTREE_REST_KEY to the key in "
                    "that server's file secrets/rest_key."
                ) from None
            raise RehearsalError(error.read().decode("utf-8", "replace").strip()[:500]) from None
        except OSError as error:
            raise RehearsalError(f"No server answers at {self.url} ({error}).") from None


def parse_fields(config: dict[str, Any], texts: list[str]) -> dict[str, Any]:
    """Parses fields of a session config, such as ``name=value``, into the types that they have there."""
    fields: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise RehearsalError(f"--field must have the form NAME=VALUE, not '{text}'.")
        default = config.get(name, config.get(name.rpartition(".")[2]))  # or of one app: app.name
        try:
            if isinstance(default, bool):
                fields[name] = {"true": True, "false": False}[value.lower()]
            else:
                fields[name] = type(default)(value) if isinstance(default, (int, float)) else value
        except (KeyError, ValueError):
            kind = "True or False" if isinstance(default, bool) else "a number"
            raise RehearsalError(f"The field {name} must be {kind}, not '{value}'.") from None
    return fields
