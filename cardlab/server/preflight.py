"""Whether sessions can be made of what the project holds: ``python -m cardlab.server.preflight URL [CONFIG
…]``.

``lab.py check`` asks, in the server's environment but without a server. Every session config (or those that
are named) is dealt as a session of it would be, the label files of the rooms are read, and a database of
PostgreSQL is asked whether what it has taken is on disk. Each finding is a line of JSON: kind, sentence.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median

OK, LOOK, WRONG = KINDS = ("OK", "Look", "Wrong")
Finding = tuple[str, str]  # one of KINDS, and a sentence

COMMITS = 20  # of which the middle one is told
SLOW = 0.05  # seconds; a commit that takes longer is felt at each move


# ------------------------------------------------------------------ session configs


def config_findings(names: list[str]) -> Iterator[Finding]:
    """Each session config, dealt: its settings, and all files that it names."""
    from otree.session import SESSION_CONFIGS_DICT

    for unknown in [name for name in names if name not in SESSION_CONFIGS_DICT]:
        there = ", ".join(SESSION_CONFIGS_DICT)
        yield WRONG, f"There is no session config {unknown} in settings.py; there are {there}."
    asked = [name for name in SESSION_CONFIGS_DICT if not names or name in names]
    well = []
    for name in asked:
        if wrong := fault_of_config(name):
            yield WRONG, f"Session config {name}: {wrong}"
        else:
            well.append(name)
    if well:
        yield OK, f"{len(well)} of {len(asked)} session configs were dealt, with the files that they name."


def fault_of_config(name: str) -> str | None:
    """Why a session of this config would be refused; None if it would not."""
    from otree.session import SESSION_CONFIGS_DICT, CreateSessionInvalidArgs, SessionConfig

    from cardlab.games.contract import BadFile
    from cardlab.sessions.create import check_config

    config = SessionConfig(SESSION_CONFIGS_DICT[name])
    try:
        check_config(config, max(config.get_lcm(), config["num_demo_participants"]))
    except (CreateSessionInvalidArgs, BadFile) as wrong:
        return str(wrong)
    except Exception as error:  # noqa: BLE001 an app of the researcher's own may raise anything
        return f"an unexpected error ({type(error).__name__}: {error}). Make a session of it to see where."
    return None


def treatment_findings() -> Iterator[Finding]:
    """Every file of treatments, also those that no config names yet."""
    from cardlab.games import treatments
    from cardlab.games.contract import BadFile
    from cardlab.sessions.deal_files import TREATMENTS, read_treatment_file

    files = sorted(TREATMENTS.glob("*.toml"))
    well = 0
    for file in files:
        try:
            treatments.read(file.name, read_treatment_file)
            well += 1
        except BadFile as wrong:
            yield WRONG, f"treatments/{wrong}"
    if well:
        yield OK, f"{well} of {len(files)} files of treatments can be read."


# ------------------------------------------------------------------ rooms


def room_findings(rooms: list[dict]) -> Iterator[Finding]:
    """The label files of the rooms, each once."""
    files: dict[str, list[str]] = {}
    for room in rooms:
        if file := room.get("participant_label_file"):
            files.setdefault(file, []).append(room["name"])
    for file, names in files.items():
        try:
            text = Path(file).read_bytes().decode("utf-8")
        except FileNotFoundError:
            found = [(WRONG, f"is not there, but room {names[0]} in settings.py names it.")]
        except UnicodeDecodeError as error:
            found = [(WRONG, f"is no text in UTF-8 (byte {error.start + 1}): save it as UTF-8.")]
        except OSError as error:
            found = [(WRONG, f"cannot be read ({error.strerror}).")]
        else:
            found = list(label_findings(text))
        yield from ((kind, f"{file} {sentence}") for kind, sentence in found)


def label_findings(text: str) -> Iterator[Finding]:
    """What a label file holds, each sentence to follow the file's name.

    oTree takes whatever blanks and line breaks part for a label, drops the second of two that are the same,
    and fails at the door of the room over one with another character than letters, digits and ``_``.
    """
    seen: dict[str, int] = {}  # by label, its line
    wrong = []
    for number, line in enumerate(text.split("\n"), 1):
        for label in line.split():
            if line.split() != [label]:
                wrong.append(f"line {number}: '{label}' is not alone in its line; one label a line.")
            if not (label.isascii() and label.replace("_", "a").isalnum()):
                also = " (a mark that an editor has put at the head of the file)" if "\ufeff" in label else ""
                wrong.append(
                    f"line {number}: {label!r} is no label{also}; a label has a–z, A–Z, 0–9 and _ alone."
                )
            elif len(label) > 100:
                wrong.append(f"line {number}: the label has {len(label)} characters; it may have 100.")
            elif label in seen:
                wrong.append(f"line {number}: {label} stands in line {seen[label]} already.")
            seen.setdefault(label, number)
    yield from ((WRONG, sentence) for sentence in wrong)
    if not seen:
        yield WRONG, "has no label, so nobody can come in: write one a line."
    alike: dict[str, list[str]] = {}
    for label in seen:
        alike.setdefault(label.lower(), []).append(label)
    for labels in (labels for labels in alike.values() if len(labels) > 1):
        yield LOOK, f"has {' and '.join(labels)}, which only capitals tell apart: who types may mistake them."
    if seen and not wrong:
        yield OK, f"has {len(seen)} label{'s' if len(seen) > 1 else ''}, each once."


# ------------------------------------------------------------------ PostgreSQL

# What a setting may be, where it is set, and what becomes of moves otherwise.
OF_SERVER, OF_DATABASE = "in postgresql.conf", "with ALTER DATABASE … SET …, or in postgresql.conf"
DURABLE = {
    "fsync": (("on",), OF_SERVER, "what was accepted may be lost when the power fails"),
    "full_page_writes": (("on",), OF_SERVER, "the database may be damaged when the power fails"),
    "synchronous_commit": (
        ("on", "local", "remote_write", "remote_apply"),
        OF_DATABASE,
        "moves that a board has shown may be lost when PostgreSQL ends suddenly",
    ),
    "default_transaction_read_only": (("off",), OF_DATABASE, "nothing can be written"),
}


def setting_findings(settings: dict[str, str]) -> Iterator[Finding]:
    """Of PostgreSQL's settings those with which an accepted move may be lost."""
    for name, (good, where, then) in DURABLE.items():
        if settings[name] not in good:
            yield (
                WRONG,
                f"PostgreSQL has {name} = {settings[name]}: {then}. Set it to {good[0]}, {where}, and "
                "restart PostgreSQL.",
            )


def database_findings(url: str) -> Iterator[Finding]:
    """Whether the database serves this installation; of PostgreSQL also whether it keeps what it takes."""
    from cardlab.server.schema_check import check

    found = check(url)
    if "unreachable" in found:
        yield WRONG, f"The database cannot be reached: {found['unreachable']}. Is PostgreSQL running?"
        return
    if fault := found["fault"]:
        yield WRONG, f"The database {fault}. To start afresh: docs/running-a-session.md, “Updates”."
    if not url.startswith("sqlite"):
        yield from postgres_findings(url)


def postgres_findings(url: str) -> Iterator[Finding]:
    """Settings of PostgreSQL, and how long it takes to have something on disk."""
    import sqlalchemy

    table = "card_lab_check"
    try:
        engine = sqlalchemy.create_engine(url, connect_args={"connect_timeout": 10})
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as database:
            yield from setting_findings({name: database.execute(f"SHOW {name}").scalar() for name in DURABLE})
            database.execute(f"DROP TABLE IF EXISTS {table}")
            database.execute(f"CREATE TABLE {table} (number integer)")
            try:
                seconds = [
                    timed(lambda: database.execute(f"INSERT INTO {table} VALUES (1)")) for _ in range(COMMITS)
                ]
            finally:
                database.execute(f"DROP TABLE {table}")
    except sqlalchemy.exc.SQLAlchemyError as error:
        said = str(getattr(error, "orig", None) or type(error).__name__).strip().splitlines()[0]
        yield WRONG, f"Nothing can be written to PostgreSQL: {said}. Which rights has its user?"
        return
    yield commit_finding("PostgreSQL", median(seconds))


def timed(act) -> float:
    """How many seconds it takes."""
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def commit_finding(where: str, seconds: float) -> Finding:
    """How long a commit takes."""
    if seconds > SLOW:
        return (
            LOOK,
            f"{where} takes {1000 * seconds:.0f} ms until a move is on disk: the disk is slow or busy.",
        )
    return OK, f"{where} has a move on disk within {1000 * seconds:.1f} ms."


def main(url: str, names: list[str]) -> None:
    """Print what is found as it is found."""
    from otree.main import setup

    setup()  # in memory: lab.py says so
    from otree import settings

    looks = database_findings(url) if url else (), room_findings(settings.ROOMS), treatment_findings()
    for found in (*looks, config_findings(names)):
        for finding in found:
            print(json.dumps(finding), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
