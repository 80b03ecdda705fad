"""What every test of this folder begins with."""

from __future__ import annotations

import sys

import pytest


@pytest.fixture(autouse=True)
def full_rate_limits():
    """Requests of earlier tests do not count towards the rate limits of this one."""
    if module := sys.modules.get("experiment.guard.rate_limits"):
        for limit in vars(module).values():
            if isinstance(limit, module.RateLimit):
                limit._full_at.clear()
