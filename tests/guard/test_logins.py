"""Tests that a logout ends a login for good, also for copies of its cookie."""

import os
import time
from types import SimpleNamespace

import pytest
from otree.common import AUTH_COOKIE_NAME, AUTH_COOKIE_VALUE

from cardlab.guard import logins
from cardlab.operations.project import WINDOWS
from cardlab.server.otree_patches import registry


@pytest.fixture
def logouts(tmp_path):
    return logins.Logouts(tmp_path / "secrets" / "logged_out")


def logged_in(login_id):
    return {AUTH_COOKIE_NAME: AUTH_COOKIE_VALUE, logins.LOGIN_ID: login_id, "other": 1}


def holds(session, logouts):
    session = dict(session)
    logins.drop_if_revoked(session, logouts)
    assert session["other"] == 1
    return AUTH_COOKIE_NAME in session


def test_a_logged_out_login_is_dropped(logouts, tmp_path):
    one, other = logged_in(logins.new_id()), logged_in(logins.new_id())
    assert (holds(one, logouts), holds(other, logouts)) == (True, True)
    logouts.add(one[logins.LOGIN_ID])
    assert (holds(one, logouts), holds(other, logouts)) == (False, True)
    after_a_restart = logins.Logouts(tmp_path / "secrets" / "logged_out")
    assert one[logins.LOGIN_ID] in after_a_restart
    assert other[logins.LOGIN_ID] not in after_a_restart
    after_a_restart.add(other[logins.LOGIN_ID])  # as another server would
    assert not holds(other, logouts)


@pytest.mark.skipif(WINDOWS, reason="Windows has no such permission bits")
def test_the_file_is_for_its_owner_alone(logouts, tmp_path):
    logouts.add("any")
    folder = tmp_path / "secrets"
    assert [os.stat(path).st_mode & 0o777 for path in (folder, folder / "logged_out")] == [0o700, 0o600]


def test_old_logins_are_dropped(logouts):
    assert not holds({AUTH_COOKIE_NAME: AUTH_COOKIE_VALUE, "other": 1}, logouts)
    assert not holds(logged_in("no number"), logouts)
    assert not holds(logged_in(f"{int(time.time()) - logins.MAX_AGE_SECONDS - 1}-abc"), logouts)
    assert holds(logged_in(f"{int(time.time()) - logins.MAX_AGE_SECONDS + 60}-abc"), logouts)


def test_logging_out_without_a_login_is_no_error(logouts):
    registry.apply(logins.PATCHES)
    request = SimpleNamespace(session={}, url_for=lambda name: f"/{name}")
    assert logins.Logout.get(None, request).status_code == 302
    assert request.session == {}
