"""A server's sessions, through oTree's REST interface."""

from __future__ import annotations

import csv
import difflib
import io
import json
import urllib.error
import urllib.request
from collections.abc import Mapping
from typing import Any, NamedTuple

from cardlab.rehearsal.browser import Failed

TIMEOUT = 600  # seconds; a session of hundreds with many rounds takes long to make


class Session(NamedTuple):
    """A session on a server, and the start links of its participants."""

    url: str
    code: str
    links: list[str]


class Server:
    """A Card Lab server at an address, asked with its REST key."""

    def __init__(self, url: str, key: str) -> None:
        self.url, self._key = url.rstrip("/"), key

    def config(self, name: str) -> dict[str, Any]:
        """A session config by its name. Raises Failed, with the nearest there is."""
        configs = {one["name"]: one for one in self._ask("/api/session_configs")}
        if name not in configs:
            near = difflib.get_close_matches(name, configs, 1)
            raise Failed(
                f"There is no session config {name}{f'; perhaps {near[0]} is meant' if near else ''}. "
                f"There are {', '.join(configs)}."
            )
        return configs[name]

    def create(self, config: str, participants: int, fields: Mapping[str, Any]) -> Session:
        """A new session of a config, with ``fields`` of it changed. Raises Failed."""
        asked = {
            "session_config_name": config,
            "num_participants": participants,
            "modified_session_config_fields": dict(fields),
        }
        return self.session(self._ask("/api/sessions", asked)["code"])

    def session(self, code: str) -> Session:
        """A session that is there. Raises Failed."""
        rows = sorted(self.participants(code), key=lambda row: row["id_in_session"])
        return Session(self.url, code, [f"{self.url}/InitializeParticipant/{row['code']}" for row in rows])

    def participants(self, code: str) -> list[dict[str, Any]]:
        return self._ask(f"/api/sessions/{code}")["participants"]

    def payments(self, code: str) -> list[dict[str, str]]:
        """A session's table of payments, a row for each participant who came."""
        table = self._answer(f"/api/payments/{code}").decode("utf-8")
        return list(csv.DictReader(io.StringIO(table, newline="")))

    def _ask(self, path: str, said: Any = None) -> Any:
        return json.loads(self._answer(path, said))

    def _answer(self, path: str, said: Any = None) -> bytes:
        data = None if said is None else json.dumps(said).encode()
        request = urllib.request.Request(self.url + path, data, headers={"otree-rest-key": self._key})
        no_proxy = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with no_proxy.open(request, timeout=TIMEOUT) as answer:
                return answer.read()
        except urllib.error.HTTPError as error:
            if error.code == 403:
                raise Failed(
                    f"The server at {self.url} refuses the key: set OTREE_REST_KEY to that server's."
                ) from None
            raise Failed(error.read().decode("utf-8", "replace").strip()[:500]) from None
        except OSError as error:
            raise Failed(f"No server answers at {self.url} ({error}).") from None
