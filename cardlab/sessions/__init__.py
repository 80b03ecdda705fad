"""A session: its config, treatments and deals, and how it begins and ends for a participant.

May import ``guard``, ``core`` and ``games``.
"""
