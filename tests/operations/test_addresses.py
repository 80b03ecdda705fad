"""Tests the addresses and ports on which the server may listen."""

import argparse
import os
import socket

import pytest

from cardlab.operations.addresses import (
    HOSTS,
    add_host_names,
    check_port,
    host_name,
    listening_address,
    port_number,
)
from cardlab.operations.terminal import Refusal


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_loopback_needs_no_password(host):
    assert listening_address(host, None) == "127.0.0.1"


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.7"])
@pytest.mark.parametrize("password", [None, "", "  ", "\t"])
def test_open_address_without_password_is_refused(host, password):
    with pytest.raises(Refusal, match="OTREE_ADMIN_PASSWORD") as refusal:
        listening_address(host, password)
    assert "anyone on the network" in str(refusal.value)


def test_open_address_with_password_is_accepted():
    assert listening_address("0.0.0.0", "secret") == "0.0.0.0"


@pytest.mark.parametrize("host", ["192.0.2.7", "127.0.0.2"])
def test_address_unreachable_for_timeout_worker_is_refused(host):
    with pytest.raises(Refusal, match=r"--host 0\.0\.0\.0"):
        listening_address(host, "secret")


@pytest.mark.parametrize("host", ["::1", "no.such.host.invalid"])
def test_invalid_ipv4_address_is_refused(host):
    with pytest.raises(Refusal, match="--host"):
        listening_address(host, "secret")


@pytest.mark.parametrize("name", ["lab.example.org", "LAB-1", "192.0.2.7", "[2001:db8::1]", "card_lab"])
def test_host_names_extend_those_of_the_environment(monkeypatch, name):
    monkeypatch.setenv(HOSTS, "first.example, second.example")
    add_host_names([host_name(name)], "secret")
    assert os.environ[HOSTS] == f"first.example,second.example,{name}"


@pytest.mark.parametrize(
    "text", ["http://lab.example.org", "lab:8000", "lab/", "a..b", "*", "", "2001:db8::1"]
)
def test_invalid_host_name_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="a host name without http:// and port"):
        host_name(text)


@pytest.mark.parametrize(
    ("names", "environment", "cause"), [(["lab"], "", "--host-name"), ([], "lab", "CARD_LAB_HOSTS")]
)
@pytest.mark.parametrize("password", [None, "", " "])
def test_host_names_need_a_password(monkeypatch, names, environment, cause, password):
    monkeypatch.setenv(HOSTS, environment)
    with pytest.raises(Refusal, match=f"To use {cause}, also set OTREE_ADMIN_PASSWORD"):
        add_host_names(names, password)


def test_without_host_names_no_password_is_needed(monkeypatch):
    monkeypatch.delenv(HOSTS, raising=False)
    add_host_names([], None)
    assert HOSTS not in os.environ


def test_port_in_use_is_refused():
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(Refusal, match=f"Port {port} is in use.*--port {port + 1}"):
            check_port("127.0.0.1", port)
    check_port("127.0.0.1", port)


@pytest.mark.parametrize("text", ["0", "65536", "-1", "eight", "80.5", ""])
def test_invalid_port_is_refused(text):
    with pytest.raises(argparse.ArgumentTypeError, match="1 to 65535"):
        port_number(text)
