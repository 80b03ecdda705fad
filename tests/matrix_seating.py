"""``matrix_game_app.seating`` by itself: importing anything from an app's package starts oTree, and wants its
settings and a database."""

from __future__ import annotations

import importlib.util
from pathlib import Path

_path = Path(__file__).resolve().parents[1] / "matrix_game_app" / "seating.py"
_spec = importlib.util.spec_from_file_location("matrix_seating_of_the_app", _path)
seating = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(seating)
