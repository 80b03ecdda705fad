"""Tests that browser windows shared between tests carry no state over."""

import pytest
from player import DESK


def test_shared_window_refuses_a_clock(browsers):
    page = browsers.context(DESK).new_page()
    with pytest.raises(AssertionError, match="window of its own"):
        page.clock.install()
    page.close()
