"""Tests that guessing the admin password is slow and that the right one always works."""

import asyncio
import sys
from urllib.parse import urlencode

import pytest
from guard_client import FORM, HOST, EchoApp, guard
from otree import settings

from cardlab.guard import login
from cardlab.server.otree_patches import registry

PASSWORD = "the right password"
THROTTLE = login.LoginThrottle()  # a new one for each test


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Provides a settable clock for ``login``, and a throttle without earlier attempts."""

    class Clock:
        now = 1000.0

        def monotonic(self):
            return self.now

    clock = Clock()
    monkeypatch.setattr(login, "time", clock)
    monkeypatch.setattr(sys.modules[__name__], "THROTTLE", login.LoginThrottle())
    monkeypatch.setattr(settings, "ADMIN_PASSWORD", PASSWORD)
    return clock


@pytest.fixture
def pauses(monkeypatch):
    """Records the delays after wrong passwords, without waiting."""
    pauses = []
    sleep = asyncio.sleep

    async def take_no_time(seconds):
        pauses.append(seconds)
        await sleep(0)

    monkeypatch.setattr(login.asyncio, "sleep", take_no_time)
    return pauses


async def log_in(password, address="10.0.0.7", username="admin", path="/login", method="POST", leaves=False):
    """Returns the status of a login: 302 if oTree gets the right password, 200 if it gets a wrong one."""
    content = urlencode({"username": username, "password": password}).encode()
    inner, sent = EchoApp(302 if password == PASSWORD else 200), []
    given = [(b"host", HOST), FORM, (b"content-length", b"%d" % len(content))]
    scope = {"type": "http", "method": method, "path": path, "query_string": b"", "headers": given}
    messages = [{"type": "http.request", "body": content, "more_body": False}]
    messages += [{"type": "http.disconnect"}] * leaves

    async def receive():
        if not messages:
            await asyncio.Event().wait()
        return messages.pop(0)

    async def send(message):
        sent.append(message)

    application = guard(inner)
    application._login_throttle = THROTTLE
    await application({**scope, "client": (address, 4711)}, receive, send)
    return sent[0]["status"] if sent else None


def tried(*passwords, **how):
    async def one_by_one():
        return [await log_in(password, **how) for password in passwords]

    return asyncio.run(one_by_one())


def test_wrong_passwords_are_slowed_down_after_ten(clock, pauses, caplog):
    assert tried(*["wrong"] * 13) == [200] * 10 + [429] * 3
    assert pauses == [login.DELAY_SECONDS] * 3
    assert [record.getMessage() for record in caplog.records] == [
        "More than 10 wrong passwords for the admin pages within a minute, from 10.0.0.7. "
        "Further attempts from there are delayed."
    ]
    assert tried("wrong", method="GET") == [200]
    assert tried("wrong", address="10.0.0.8") == [200]
    clock.now += 61
    assert tried("wrong") == [200]
    assert [*THROTTLE._addresses] == ["10.0.0.7"]


def test_the_right_password_always_gets_in(pauses):
    assert tried(*["wrong"] * 50, PASSWORD)[-1] == 302
    assert len(pauses) == 40
    assert tried("wrong", PASSWORD) == [429, 302]  # wrong guesses stay limited
    assert tried(PASSWORD, username="root") == [429]


def test_a_password_waits_only_for_earlier_ones(pauses):
    async def at_once():
        for _ in range(10):
            await log_in("wrong")
        done = []

        async def one(name, password):
            done.append((name, await log_in(password)))

        names = [*range(20)]
        guesses = [asyncio.ensure_future(one(name, "wrong")) for name in names]
        await asyncio.sleep(0)
        right = asyncio.ensure_future(one("right", PASSWORD))
        await asyncio.sleep(0)
        later = [asyncio.ensure_future(one(name + 20, "wrong")) for name in names]
        assert await log_in(PASSWORD, address="10.0.0.8") == 302  # from another address
        assert ("right", 302) not in done
        await asyncio.gather(*guesses, right, *later)
        return done

    done = asyncio.run(at_once())
    assert done[20] == ("right", 302)
    assert [status for name, status in done if name != "right"] == [429] * 40


def test_a_guess_of_a_closed_browser_is_skipped(pauses):
    tried(*["wrong"] * 10)
    assert tried("wrong", leaves=True) == [None]
    assert pauses == []


def test_every_password_is_wrong_without_a_configured_one(monkeypatch):
    monkeypatch.setattr(settings, "ADMIN_PASSWORD", None)
    assert not login.is_right_password("admin", "")
    assert not login.is_right_password("admin", "None")


def test_the_login_form_compares_in_the_same_way():
    def errors(**form):
        checked = login.LoginForm(data=form)
        return None if checked.validate() else checked.password.errors

    registry.apply(login.PATCHES)
    assert errors(username="admin", password=PASSWORD) is None
    assert errors(username="admin", password="wrong") == ["Login failed"]
    assert errors(username="other", password=PASSWORD) == ["Login failed"]
    assert errors() == ["Login failed"]
