"""Validates the server's address, port and host names."""

import argparse
import contextlib
import os
import re
import socket

from cardlab.operations.terminal import Refusal

ALL_INTERFACES = "0.0.0.0"  # noqa: S104 only if --host names it, which needs a password
HOSTS = "CARD_LAB_HOSTS"  # additional names of the server, as cardlab.guard.hosts reads them


def listening_address(host: str, password: str | None) -> str:
    """Returns the IPv4 address to listen on. Raises Refusal for an open address without a password.

    The address includes 127.0.0.1, to which the timeout worker sends its requests.
    """
    try:
        address = str(socket.getaddrinfo(host, None, socket.AF_INET)[0][4][0])
    except OSError as error:
        raise Refusal(f"--host {host} is neither an IPv4 address nor a name of this computer.") from error
    if not address.startswith("127.") and not (password or "").strip():
        raise Refusal(
            f"With --host {host} anyone on the network can reach the server, so the admin pages "
            "need a password. Set one and run the command again: export OTREE_ADMIN_PASSWORD=… "
            "(Linux, macOS), set OTREE_ADMIN_PASSWORD=… (Windows) or "
            "$env:OTREE_ADMIN_PASSWORD='…' (PowerShell)."
        )
    if address not in ("127.0.0.1", ALL_INTERFACES):
        raise Refusal(
            f"The server must also listen on 127.0.0.1 for page time limits, so --host {address} "
            "is not possible. Use --host 0.0.0.0 (the whole network), or omit --host (this "
            "computer only)."
        )
    return address


def host_name(text: str) -> str:
    """Parses a host name or address of the server, without a port."""
    if not re.fullmatch(r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*|\[[0-9A-Fa-f:.]+\]", text):
        raise argparse.ArgumentTypeError(
            f"enter a host name without http:// and port, such as lab.example.org, not '{text}'"
        )
    return text


def add_host_names(names: list[str], password: str | None) -> None:
    """Adds host names to those in the environment. Raises Refusal if there is no password (DNS rebinding)."""
    known = os.environ.get(HOSTS, "").replace(",", " ").split()
    if not (known or names):
        return
    if not (password or "").strip():
        raise Refusal(
            "Without a password the server accepts only 127.0.0.1, localhost and [::1]. To use "
            f"{'--host-name' if names else HOSTS}, also set OTREE_ADMIN_PASSWORD."
        )
    os.environ[HOSTS] = ",".join([*known, *names])


def port_number(text: str) -> int:
    """Parses a TCP port from the command line."""
    if not text.isdecimal() or not 1 <= int(text) <= 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 1 to 65535, not '{text}'")
    return int(text)


def check_port(address: str, port: int) -> None:
    """Raises Refusal if the port is not available."""
    # On Windows SO_REUSEADDR would let two servers share a port; elsewhere it allows a port just closed.
    option = getattr(socket, "SO_EXCLUSIVEADDRUSE", socket.SO_REUSEADDR)
    for host in ("127.0.0.1", address):  # some systems let 0.0.0.0 share a port with another's 127.0.0.1
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, option, 1)
            try:
                probe.bind((host, port))
            except PermissionError as error:
                raise Refusal(
                    f"You may not use port {port}. Choose a port above 1023, such as --port 8000."
                ) from error
            except OSError as error:
                raise Refusal(
                    f"Port {port} is in use, perhaps by another Card Lab server. Stop that "
                    "server, or choose another port, such as --port "
                    f"{port + 1 if port < 65535 else 8000}."
                ) from error


def network_address() -> str | None:
    """Returns this computer's network address, without sending anything; None if it has none."""
    with contextlib.suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("10.255.255.255", 9))  # a datagram socket only looks up the route
        address = str(probe.getsockname()[0])
        return None if address.startswith(("127.", "0.")) else address
    return None
