"""Imports search modules in both modes: compiled by numba, and as plain Python."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from unittest.mock import patch

import pytest

COMPILER = "cardlab.games.compiled"


def import_mode(compiled: bool, *names: str) -> list[ModuleType]:
    """Imports these modules and all game modules that they use again, in one of the two modes.

    Modules that are already loaded stay unchanged. Skips the test if numba is needed and missing.
    """
    if compiled:
        pytest.importorskip("numba", reason="numba is optional: lab.py install engine")
    loaded = {name: module for name, module in sys.modules.items() if name.startswith("cardlab.games")}
    for name in loaded:
        del sys.modules[name]
    try:
        with patch.dict(os.environ, {"CARD_LAB_COMPILED": "yes" if compiled else "no"}):
            assert importlib.import_module(COMPILER).COMPILED is compiled
            return [importlib.import_module(name) for name in names]
    finally:
        for name in [name for name in sys.modules if name.startswith("cardlab.games")]:
            del sys.modules[name]
        sys.modules.update(loaded)
