"""The checks of ``lab.py check``, by what they look at. Each yields findings: a kind and a sentence."""

from __future__ import annotations

OK, WARNING, ERROR = "OK", "Look", "Wrong"  # as they are printed
Finding = tuple[str, str]  # one of these, and a sentence
