"""Keeps oTree off the project's database. Import this first in tests without a server.

oTree opens the project's database on import; these tests must not touch it.
"""

import sqlite3
from unittest.mock import patch

_connect = sqlite3.connect
with patch("sqlite3.connect", lambda _file, **options: _connect(":memory:", **options)):
    import ttt_solo_app  # noqa: F401 an app first of all, so that the others find oTree ready
    from cardlab.server import app
    from cardlab.server.otree_patches import registry
    from cardlab.server.otree_patches.patches import PATCHES

    registry.apply(PATCHES)
    app.build()
