"""The session configs of Stop in Time: fields and defaults."""

from __future__ import annotations

from cardlab.games.session_config import SessionConfig, declare_app

FIELDS: SessionConfig = {
    "hands": 3,
    "deal_file": "seed",  # or a file in deals/stopping/
    "show_left": True,  # show how many cards are still to come
}

stopping = declare_app("stopping_app", "stopping", "Stop in Time", FIELDS)
