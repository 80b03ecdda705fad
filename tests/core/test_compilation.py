"""Tests that numba stays out of the server."""

import subprocess
import sys

PROGRAM = """
import sys
from cardlab.core import compilation
from cardlab.games.registry import games_by_name
for game in games_by_name().values():
    game.load_module("strategies")
assert "numba" not in sys.modules, "loading the games imports numba"
compilation.keep_out_of_this_process()
from cardlab.games import compiled
assert not compiled.COMPILED and "numba" not in sys.modules
print(compilation.worker_environment())
"""


def test_the_server_never_imports_numba(monkeypatch):
    monkeypatch.setenv("CARD_LAB_COMPILED", "yes")
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True)
    assert (done.stdout.strip(), done.stderr) == ("{'CARD_LAB_COMPILED': 'yes'}", "")
