"""All patches, in the order in which they are applied.

Each package declares its own next to the code that needs them.
"""

from __future__ import annotations

from cardlab.admin import payments, report_jobs, room_links, withdrawal
from cardlab.core.patch import Patch
from cardlab.exports import otree_tables
from cardlab.groups import group_lock, group_rows, notifications
from cardlab.guard import body, labels, login, logins, rest
from cardlab.live import pauses, presence_socket, query_cache, slots_on_arrival
from cardlab.server import asgi, shard, static_files, upgrade
from cardlab.server.otree_patches import browser_bots, database, templates, time_limits
from cardlab.sessions import (
    add_participants,
    arrival,
    create,
    early_end,
    page_lookup,
    participant_language,
    room_labels,
    slot_views,
    treatment_assignment,
)

PATCHES: tuple[Patch, ...] = (
    *templates.PATCHES,
    *static_files.PATCHES,
    *database.PATCHES,
    *upgrade.PATCHES,
    *query_cache.PATCHES,
    *time_limits.PATCHES,
    *browser_bots.PATCHES,
    *shard.PATCHES,
    *asgi.PATCHES,
    # The guard.
    *labels.PATCHES,
    *body.PATCHES,
    *rest.PATCHES,
    *login.PATCHES,
    *logins.PATCHES,
    # Sessions and their participants.
    *create.PATCHES,
    *page_lookup.PATCHES,
    *add_participants.PATCHES,
    *slots_on_arrival.PATCHES,
    *arrival.PATCHES,
    *treatment_assignment.PATCHES,
    *early_end.PATCHES,  # after those of arrival: a participant who comes too late has arrived
    *participant_language.PATCHES,
    *room_labels.PATCHES,
    *slot_views.PATCHES,
    *pauses.PATCHES,
    *presence_socket.PATCHES,
    *notifications.PATCHES,
    *group_lock.PATCHES,
    *group_rows.PATCHES,
    # The researcher's pages and exports.
    *payments.PATCHES,
    *report_jobs.PATCHES,
    *room_links.PATCHES,
    *otree_tables.PATCHES,
    *withdrawal.PATCHES,
)
