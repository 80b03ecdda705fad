"""The researcher's pages: the Progress monitor, interventions, reports, room links and payments.

May import ``exports``, ``pages``, ``groups``, ``live``, ``sessions``, ``guard``, ``core`` and ``games``.
"""
