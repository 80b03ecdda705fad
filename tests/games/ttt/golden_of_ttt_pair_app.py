"""The fixed session of Target the Two for two of which ``tests/golden`` holds what is written."""

from __future__ import annotations

from harnesses import own_module

SIMULATED = (
    *("--mix", "informed:0.5,routinizing:0.5", "--set", "players=2", "--set", "ViewCard=none"),
    *("--set", "blocks=game422.txt/game442.txt:3, transfer422.txt:2", "--set", "partners=mixed"),
)
also_written = own_module("ttt", "golden").also_written
