"""Tests the server's environment: secrets of this installation or the user's own."""

import os
import stat

import pytest

from cardlab.operations import server
from cardlab.operations.keys import secret
from cardlab.operations.project import WINDOWS
from cardlab.operations.server import server_environment


@pytest.mark.parametrize(("password", "passed_on"), [("", None), (" \t", None), ("secret ", "secret ")])
def test_blank_password_counts_as_missing(project, monkeypatch, password, passed_on):
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    assert server_environment("127.0.0.1").get("OTREE_ADMIN_PASSWORD") == passed_on


@pytest.mark.parametrize(
    ("address", "password", "own_level", "level"),
    [
        ("127.0.0.1", "", None, None),
        ("127.0.0.1", "", "DEMO", "DEMO"),
        ("127.0.0.1", "secret", None, "STUDY"),
        ("127.0.0.1", "secret", "DEMO", "DEMO"),
        ("0.0.0.0", "secret", None, "STUDY"),
        ("0.0.0.0", "secret", "DEMO", "STUDY"),
    ],
)
def test_open_address_or_password_protects_admin_pages(
    project, monkeypatch, address, password, own_level, level
):
    monkeypatch.delenv("OTREE_AUTH_LEVEL", raising=False)
    monkeypatch.setenv("OTREE_ADMIN_PASSWORD", password)
    if own_level:
        monkeypatch.setenv("OTREE_AUTH_LEVEL", own_level)
    assert server_environment(address).get("OTREE_AUTH_LEVEL") == level


def test_secrets_are_made_once_unless_set(project, monkeypatch):
    monkeypatch.delenv("OTREE_SECRET_KEY", raising=False)
    monkeypatch.delenv("OTREE_REST_KEY", raising=False)
    first = server_environment("127.0.0.1")
    assert len(first["OTREE_SECRET_KEY"]) >= 40
    assert first["OTREE_SECRET_KEY"] != first["OTREE_REST_KEY"]
    assert server_environment("127.0.0.1") == first
    monkeypatch.setenv("OTREE_REST_KEY", "mine")
    assert server_environment("127.0.0.1")["OTREE_REST_KEY"] == "mine"


@pytest.mark.skipif(WINDOWS, reason="Windows has no such permission bits")
def test_secrets_are_private_even_in_open_folder(project):
    (project / "secrets").mkdir(mode=0o755)
    secret("rest_key")
    os.chmod(project / "secrets" / "rest_key", 0o644)
    secret("rest_key")
    modes = [
        stat.S_IMODE(path.stat().st_mode) for path in (project / "secrets", project / "secrets/rest_key")
    ]
    assert modes == [0o700, 0o600]


def test_empty_secret_is_replaced(project):
    (project / "secrets").mkdir()
    (project / "secrets" / "secret_key").write_text("")
    assert len(secret("secret_key")) >= 40


def test_server_returns_memory_unless_told_otherwise(project, monkeypatch):
    environments = []
    monkeypatch.setattr(server.subprocess, "Popen", lambda *_given, env, **_more: environments.append(env))
    for own in ({}, {"MALLOC_ARENA_MAX": "4"}):
        server.start_server("127.0.0.1", 8000, project, own)
    assert [one["MALLOC_ARENA_MAX"] for one in environments] == ["1", "4"]
