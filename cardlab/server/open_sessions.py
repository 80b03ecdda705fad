"""Compares the pages of sessions in progress with those of the apps. Reads and changes nothing.

oTree counts all pages of a session through, so with other pages or rounds a participant would continue on a
wrong page.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple


class AppPages(NamedTuple):
    """The pages of an app: the names of ``page_sequence``, and ``NUM_ROUNDS``.

    ``rounds`` is None for games, whose sessions have as many rounds as they play.
    """

    rounds: int | None
    names: tuple[str, ...]


class OpenSession(NamedTuple):
    """A session in progress, as it was created.

    Attributes:
        code: its code.
        rounds: the rounds of each app, in the order of the apps.
        pages: how many pages it has.
        visited: the app and page at each page index at which a participant is known to have been.
    """

    code: str
    rounds: Mapping[str, int]
    pages: int
    visited: Mapping[int, tuple[str, str]]


def session_fault(
    session: OpenSession, apps: Mapping[str, AppPages], earlier: Mapping[str, tuple[str, ...]]
) -> str | None:
    """Returns a clause that says why a session in progress cannot continue; None if it can.

    ``earlier`` has the page names of each app when the server last started, if that was recorded.
    """
    change = next(_changes(session, apps, earlier), None)
    return f"session {session.code} is in progress, and {change}" if change else None


def _changes(
    session: OpenSession, apps: Mapping[str, AppPages], earlier: Mapping[str, tuple[str, ...]]
) -> Iterator[str]:
    for app, rounds in session.rounds.items():
        if app not in apps:
            yield f"{app} is in no session config any more"
            return
        if apps[app].rounds not in (None, rounds):
            yield f"NUM_ROUNDS of {app} was {rounds} and is now {apps[app].rounds}"
        names, old_names = apps[app].names, earlier.get(app, apps[app].names)
        if old_names != names:
            yield f"page_sequence of {app} was {', '.join(old_names)} and is now {', '.join(names)}"
    pages = [(app, name) for app, rounds in session.rounds.items() for name in apps[app].names * rounds]
    if len(pages) != session.pages:
        yield (
            f"page_sequence of {', '.join(session.rounds)} has changed: it had {session.pages} pages in all "
            f"rounds and has now {len(pages)}"
        )
    for index, (app, name) in sorted(session.visited.items()):
        if index <= len(pages) and pages[index - 1] != (app, name):
            yield f"its page {index} was {name} of {app} and is now {pages[index - 1][1]}"
