"""A session: its config, treatments and deals, and participants' arrival, late arrival and completion.

May import ``guard``, ``core`` and ``games``.
"""
