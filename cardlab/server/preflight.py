"""Collects the facts for ``lab.py check`` that need oTree.

``python -m cardlab.server.preflight URL [CONFIG …]`` runs without a server. It checks all session configs, or
those named, and prints a line of JSON for each subject: its name and the facts, which
``cardlab/operations/preflight`` turns into sentences.
"""

from __future__ import annotations

import json
import sys
import time
from statistics import median
from typing import Any

COMMIT_SAMPLES = 20  # we report the median
SETTINGS = ("fsync", "full_page_writes", "synchronous_commit", "default_transaction_read_only")


def config_facts(names: list[str]) -> dict[str, Any]:
    """Deals the named session configs, or all; returns ``all`` names, ``unknown`` ones, and ``faults``."""
    from otree.session import SESSION_CONFIGS_DICT

    return {
        "all": list(SESSION_CONFIGS_DICT),
        "unknown": [name for name in names if name not in SESSION_CONFIGS_DICT],
        "faults": {name: config_fault(name) for name in SESSION_CONFIGS_DICT if not names or name in names},
    }


def config_fault(name: str) -> str | None:
    """Returns why a session of this config would be refused; None if it is valid."""
    from otree.session import SESSION_CONFIGS_DICT, CreateSessionInvalidArgs, SessionConfig

    from cardlab.games.contract import BadFile
    from cardlab.sessions.config_check import check_config

    config = SessionConfig(SESSION_CONFIGS_DICT[name])
    try:
        check_config(config, max(config.get_lcm(), config["num_demo_participants"]))
    except (CreateSessionInvalidArgs, BadFile) as error:
        return str(error)
    except Exception as error:  # noqa: BLE001 an app of the researcher's own may raise anything
        return (
            f"an unexpected error ({type(error).__name__}: {error}). To see where it happens, create "
            "a session of this config."
        )
    return None


def treatment_faults() -> list[str | None]:
    """Returns the fault of each treatment file, or None."""
    from cardlab.games import treatments
    from cardlab.games.contract import BadFile
    from cardlab.games.label_file import check_languages
    from cardlab.sessions.deal_files import read_treatment_file, treatment_files
    from cardlab.sessions.participant_language import translated

    faults: list[str | None] = []
    for name in treatment_files():
        try:
            for label_file in treatments.read_treatments(name, read_treatment_file).files[1:]:
                check_languages(label_file, translated())
            faults.append(None)
        except BadFile as error:
            faults.append(str(error))
    return faults


def room_facts(rooms: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Returns the ``file`` of each room with labels, each once, its ``labels`` and its ``faults``."""
    from cardlab.sessions.participant_language import translated
    from cardlab.sessions.room_labels import room_labels

    files = dict.fromkeys(file for room in rooms if (file := room.get("participant_label_file")))
    facts = []
    for file in files:
        found = room_labels(file, translated())
        facts.append({"file": file, "labels": [*found.languages], "faults": [*map(str, found.faults)]})
    return facts


def database_facts(url: str) -> dict[str, Any]:
    """Returns the fault of the database; for PostgreSQL also its durability."""
    from cardlab.server.schema_check import check_database

    facts = check_database(url, only_look=True)
    if "unreachable" not in facts and not url.startswith("sqlite"):
        _add_postgres_facts(url, facts)
    return facts


def _add_postgres_facts(url: str, facts: dict[str, Any]) -> None:
    """Adds ``settings``, and ``commit_seconds`` (median) or ``rejected``, the reason why a write fails."""
    import sqlalchemy

    try:
        engine = sqlalchemy.create_engine(url, connect_args={"connect_timeout": 10})
        with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as database:
            facts["settings"] = {name: database.execute(f"SHOW {name}").scalar() for name in SETTINGS}
            database.execute("DROP TABLE IF EXISTS card_lab_check")
            database.execute("CREATE TABLE card_lab_check (number integer)")
            try:
                durations = []
                for _ in range(COMMIT_SAMPLES):
                    start = time.perf_counter()
                    database.execute("INSERT INTO card_lab_check VALUES (1)")
                    durations.append(time.perf_counter() - start)
            finally:
                database.execute("DROP TABLE card_lab_check")
    except sqlalchemy.exc.SQLAlchemyError as error:
        message = str(getattr(error, "orig", None) or type(error).__name__)
        facts["rejected"] = message.strip().splitlines()[0]
    else:
        facts["commit_seconds"] = median(durations)


def main(url: str, names: list[str]) -> None:
    """Prints each subject's facts as soon as they are known."""
    from otree.main import setup

    setup()  # in memory: lab.py sets the environment
    from otree import settings

    if url:
        _print("database", database_facts(url))
    _print("rooms", room_facts(settings.ROOMS))
    _print("treatments", treatment_faults())
    _print("configs", config_facts(names))


def _print(name: str, facts: Any) -> None:
    print(json.dumps([name, facts], default=str), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
