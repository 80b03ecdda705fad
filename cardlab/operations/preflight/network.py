"""Checks the password, the port, and whether this computer answers at its network address."""

import contextlib
import os
import socket
from collections.abc import Iterator

from cardlab.operations.addresses import check_port, listening_address, network_address
from cardlab.operations.preflight import Finding, ok, problem, warning
from cardlab.operations.running_server import read_server_state

COMMON_PASSWORDS = ("choose one", "choose-one", "password", "admin", "secret")


def check_password(host: str) -> Iterator[Finding]:
    """Checks the password of the admin pages. Raises Refusal if an open address has none."""
    password = (os.environ.get("OTREE_ADMIN_PASSWORD") or "").strip()
    if not password:
        if host.startswith("127.") or host == "localhost":
            yield ok("No password is needed, because only this computer can reach the server.")
        else:
            listening_address(host, None)  # raises
        return
    if password.lower() in COMMON_PASSWORDS or len(password) < 8:
        why = "easy to guess" if password.lower() in COMMON_PASSWORDS else "too short"
        yield warning(
            f"The password in OTREE_ADMIN_PASSWORD is {why}. Use at least 8 characters that are hard "
            "to guess."
        )
    else:
        yield ok("A password is set.")


def check_network(host: str, port: int) -> Iterator[Finding]:
    """Checks that the port is free, or that of this folder's server, and reachable from the network."""
    address = listening_address(host, "any")  # check_password reports a missing password
    own_address = network_address()
    running = read_server_state().get("url", "")
    if running and accepts_connections("127.0.0.1", int(running.rsplit(":", 1)[1])):
        yield ok(f"A Card Lab server is running from this folder at {running}.")
        if running.endswith(f":{port}"):
            yield from check_reachable(address, own_address, port)
            return
        yield warning(f"The running server does not use port {port}. Check with its port, or stop it first.")
    check_port(address, port)
    yield ok(f"Port {port} is free.")
    with socket.create_server((address, port)):
        yield from check_reachable(address, own_address, port)


def check_reachable(address: str, own_address: str | None, port: int) -> Iterator[Finding]:
    """Connects to this computer's network address, where something listens on the port."""
    if address.startswith("127."):
        yield warning("With this --host no other computer can reach the server. Omit --host, or use 0.0.0.0.")
    elif not own_address:
        yield warning("This computer is not connected to a network. Check the cable or Wi-Fi.")
    elif not accepts_connections(own_address, port):
        yield problem(
            f"This computer cannot reach itself at {own_address}, port {port}. A firewall may "
            "block the connection. Allow incoming connections for Python or for the port."
        )
    else:
        yield ok(
            f"This computer is reachable from itself at http://{own_address}:{port}, its address on "
            "the network."
        )
        yield warning(
            "A firewall may still block other computers; this cannot be checked from here. When "
            f"the server runs, open http://{own_address}:{port} on a participant's computer."
        )


def accepts_connections(address: str, port: int) -> bool:
    """Returns whether a server accepts connections there."""
    with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=3):
        return True
    return False
