"""Tests oTree's browser bots without a browser: the server decides, the test sends."""

from __future__ import annotations

import time

import requests

SENDS_BY_ITSELF = "// browser-bot-auto-submit"


class BotsBrowser:
    """Sends the form of each page at once, like the script that oTree adds for bots."""

    def __init__(self, server) -> None:
        self.http = requests.Session()
        self.http.trust_env = False
        self.opened(self.http.get(f"{server.url}/browser_bot_start"))

    def opened(self, page: requests.Response) -> None:
        assert page.status_code == 200, (page.url, page.text[:500])
        self.page = page

    def go_on(self) -> bool:
        """Takes one step; returns whether there may be more."""
        if "/Gather/" in self.page.url:
            answer = self.http.get(f"{self.page.url}?here=1")
            if answer.history:
                self.opened(answer)
            return True
        if SENDS_BY_ITSELF not in self.page.text:
            return False
        self.opened(self.http.post(self.page.url))
        return True


def test_bots_play_in_browsers_to_the_results(server):
    """They pass the check, wait for their turns, and one is moved on as if by a time limit."""
    asked = {"session_config_name": "challenge_two", "num_participants": 2, "case_number": 0}
    server.api("/create_browser_bots_session", asked)
    try:
        browsers = [BotsBrowser(server) for _bot in range(2)]
        playing, end = browsers, time.monotonic() + 60
        while playing and time.monotonic() < end:
            playing = [browser for browser in playing if browser.go_on()]
        assert ["/Results/" in browser.page.url for browser in browsers] == [True, True]
    finally:
        server.api("/close_browser_bots_session", {})
