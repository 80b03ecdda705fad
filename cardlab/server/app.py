"""Installs Card Lab in oTree; ``project.py``, which oTree imports whenever it is set up, calls it.

oTree offers no other hook that all of its commands pass: ``settings.py`` is read before oTree's own settings
are complete, and an app is imported too late for what it needs of the tables.
"""

from __future__ import annotations

import sys

from cardlab.groups import group_lock
from cardlab.guard import body, connections, hosts, log, log_masking
from cardlab.server import shard
from cardlab.server.otree_patches import registry
from cardlab.server.otree_patches.patches import PATCHES
from cardlab.sessions import treatment_assignment

# By default Python lets a busy thread run for 5 ms before another gets its turn. Pages and the researcher's
# tables are made in threads, and a move gives its turn away several times.
SWITCH_SECONDS = 0.0002


def install() -> None:
    """Set Card Lab up, before oTree imports the apps, makes tables and builds its routes.

    Exits with code 2 and a message if the installed oTree is not the one that the patches were written for.
    """
    try:
        registry.apply(PATCHES)
    except registry.SourcesDiffer as differ:
        print(differ, file=sys.stderr)
        sys.exit(2)
    body.check_settings()
    connections.read_environment()
    hosts.read_environment()
    group_lock.listen()
    treatment_assignment.listen()
    log.add_filters()
    log_masking.mask_codes()
    shard.keep_own_rooms()
    sys.setswitchinterval(SWITCH_SECONDS)
