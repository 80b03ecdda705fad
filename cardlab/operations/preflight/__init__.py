"""The checks of ``lab.py check``, one module per subject. Each yields findings: a kind and a sentence."""

from __future__ import annotations

OK, WARNING, ERROR = "OK", "Warning", "Error"  # as they are printed
Finding = tuple[str, str]  # one of these, and a sentence
