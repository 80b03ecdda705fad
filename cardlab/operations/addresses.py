"""Where the server listens, an address and a port that can be had and are safe, and its further names."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import socket

from cardlab.operations.terminal import Refusal


def listening_address(host: str, password: str | None) -> str:
    """The IPv4 address to listen on; refuses an open address without a password.

    oTree's timeout worker posts to 127.0.0.1, so a server that does not hear that address would
    let page time limits pass by without a word.
    """
    try:
        address = socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0]
    except OSError as error:
        raise Refusal(f"--host {host} is not an IPv4 address or a name of this computer.") from error
    if not address.startswith("127.") and not (password or "").strip():
        raise Refusal(
            f"With --host {host} everyone on the network can reach the server, so its admin pages need "
            "a password. Set one and run again: export OTREE_ADMIN_PASSWORD=… (Linux, macOS), "
            "set OTREE_ADMIN_PASSWORD=… (Windows) or $env:OTREE_ADMIN_PASSWORD='…' (PowerShell)."
        )
    if address not in ("127.0.0.1", "0.0.0.0"):
        raise Refusal(
            f"A server that listens on {address} alone does not hear 127.0.0.1, where page time limits "
            "come from: use --host 0.0.0.0 (the whole network) or leave --host out (this computer only)."
        )
    return address


HOSTS = "CARD_LAB_HOSTS"  # the further names of the server, as cardlab.guard.hosts reads them


def host_name(text: str) -> str:
    """A name or an address of the server from the command line, as browsers write it, without a port."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]", text):
        raise argparse.ArgumentTypeError(
            f"a name of the server without http:// and port, such as lab.example.org, not '{text}'"
        )
    return text


def add_host_names(names: list[str], password: str | None) -> None:
    """Add names to those in the environment, under which the server answers too; refuses them without a
    password, because every name but that of this computer can be a foreign page's (DNS rebinding).
    """
    known = os.environ.get(HOSTS, "").replace(",", " ").split()
    if not (known or names):
        return
    if not (password or "").strip():
        raise Refusal(
            "Without a password the server answers under 127.0.0.1, localhost and [::1] only. For "
            f"{'--host-name' if names else HOSTS} set OTREE_ADMIN_PASSWORD too."
        )
    os.environ[HOSTS] = ",".join([*known, *names])


def port_number(text: str) -> int:
    """A TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not '{text}'")
    return int(text)


def check_port(address: str, port: int) -> None:
    """Refuse a port that cannot be had, before anything is started."""
    # On Windows SO_REUSEADDR would let two servers share a port; elsewhere it frees one just left.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    for place in ("127.0.0.1", address):  # some systems let 0.0.0.0 join another server's 127.0.0.1
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                probe.bind((place, port))
            except PermissionError as error:
                raise Refusal(
                    f"Port {port} is not allowed here; choose one above 1023, such as --port 8000."
                ) from error
            except OSError as error:
                raise Refusal(
                    f"Port {port} is in use, perhaps by a Card Lab that is still running: stop that, "
                    f"or choose another port, such as --port {port + 1 if port < 65535 else 8000}."
                ) from error


def network_address() -> str | None:
    """This computer's address on its network, as far as it can be told without sending anything."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 9))  # a datagram socket only looks up the route
        address = probe.getsockname()[0]
        return None if address.startswith(("127.", "0.")) else address
    return None
