"""Creates the sessions of a replication in one process, for ``test_replicated_sessions.py``.

Its arguments are the file with session configs, the folder with treatments, and the preregistration. Each
session must have the deals and settings of the preregistration.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import otree.main

import settings

CONFIGS, TREATMENTS, FROZEN = map(Path, sys.argv[1:])
MADE = eval(f"[{CONFIGS.read_text('utf-8')}]", vars(settings))
settings.SESSION_CONFIGS += MADE
otree.main.setup()

import otree.urls  # noqa: E402 - which sets the encoding of pages

from cardlab.analysis.preregistration.document import read_document  # noqa: E402
from cardlab.sessions import deal_files  # noqa: E402
from cardlab.sessions.create import create_session  # noqa: E402
from cardlab.sessions.dealing import openings_of_session  # noqa: E402
from cardlab.sessions.treatments import treatment_of  # noqa: E402

deal_files.TREATMENTS = [TREATMENTS]
conditions = {one.name: one for one in read_document(FROZEN).plan.conditions}
session = create_session(MADE[0]["name"], num_participants=4)
for person in session.get_participants():
    planned = conditions.get(treatment_of(person)) or next(iter(conditions.values()))
    dealt = openings_of_session(person.get_players()[0])
    counted = [one for one in dealt if not one.practice and one.source in planned.deal_files]
    assert len(counted) == planned.hands, (len(counted), planned.hands)
    for one in counted:
        assert planned.deal_files[one.source] == one.sha256
        for name, values in planned.settings.items():
            assert json.dumps(one.options[name], sort_keys=True) in values, (name, one.options[name])
for config in MADE[1:]:
    create_session(config["name"], num_participants=4)
print("created", *(config["name"] for config in MADE))
