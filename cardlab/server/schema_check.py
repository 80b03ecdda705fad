"""Checks and upgrades a database before the server starts: ``python -m cardlab.server.schema_check URL``.

Prints a line of JSON for lab.py (:func:`check_database`). A database without a signature, because it is new
or oTree's, is signed.
"""

from __future__ import annotations

import json
import sys
from typing import Any

from otree.main import setup
from sqlalchemy.exc import ArgumentError, DBAPIError


def check_database(url: str, only_look: bool = False) -> dict[str, Any]:
    """Returns ``fault``, or ``failed``, or ``unreachable`` with the reason; otherwise ``lines`` to print.

    Args:
        url: The address of the database.
        only_look: Do not upgrade the database.
    """
    from cardlab.server.upgrade import Fault, UpgradeFailed, prepare

    try:
        return {"lines": prepare(url, only_look)}
    except Fault as fault:
        return {"fault": str(fault)}
    except UpgradeFailed as failed:
        return {"failed": str(failed)}
    except DBAPIError as error:  # the driver's words: SQLAlchemy's may quote the address with its password
        return {"unreachable": str(error.orig).strip().splitlines()[0]}
    except (ArgumentError, ValueError):
        return {"unreachable": "its address cannot be parsed"}


if __name__ == "__main__":
    setup()  # in memory (lab.py says so): only to know the tables that the apps need
    print(json.dumps(check_database(sys.argv[1])))
