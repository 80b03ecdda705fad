"""Simulates a researcher at the Progress tab of a server, which may ask for a password."""

from __future__ import annotations

import re
import time
from pathlib import Path

import requests
from server_fixture import LabServer, wait_for

PASSWORD = "password of the tests"


def study_server(folder: Path) -> LabServer:
    """Returns a server, not yet started, whose admin pages ask for ``PASSWORD``."""
    study = {"OTREE_AUTH_LEVEL": "STUDY", "OTREE_ADMIN_PASSWORD": PASSWORD}
    return LabServer(folder / "card_lab", environment=study)


class Researcher:
    """A client that views and changes a session; it logs in unless ``known`` is False."""

    def __init__(self, server, session, known=True):
        self.server, self.session, self.http = server, session, requests.Session()
        self.http.trust_env = False
        if known:
            login = f"{server.url}/login"
            form = {**self.token(login), "username": "admin", "password": PASSWORD}
            assert self.http.post(login, data=form).url.endswith("/demo")
            self.csrf = self.token(f"{server.url}/SessionProgress/{session.code}")

    def token(self, page):
        return dict(re.findall(r'name="(\w+)" value="(\d+)"', self.http.get(page).text))

    @property
    def address(self):
        return f"{self.server.url}/cardlab/progress/{self.session.code}"

    def rows(self):
        """Returns the rows of the table by participant code, in table order."""
        return {row["code"]: row for row in self.http.get(f"{self.address}/rows").json()["rows"]}

    def sees(self, condition, what):
        """Waits until the condition holds for the rows; returns them."""

        def seen():
            rows = self.rows()
            return condition(rows) and rows

        return wait_for(seen, what)

    def replay(self, code):
        """Waits until the replay of a participant's hand so far is drawn; returns its page."""
        page = self.http.get(f"{self.address}/replay/{code}?begun=0")
        while 'http-equiv="refresh"' in page.text:
            time.sleep(0.1)
            page = self.http.get(f"{self.address}/replay/{code}?begun=1")
        assert len(page.text) > 10_000, page.text
        return page

    def does(self, what, *codes, **more):
        advance = f"{self.server.url}/cardlab/advance/{self.session.code}"
        path = {"advance": advance, "end": f"{self.address}/end"}.get(what, f"{self.address}/do")
        return self.http.post(path, data={**self.csrf, "what": what, "participants": " ".join(codes), **more})
