"""Groups: matchmaking, rounds, locked groups, and the notifications of waiting pages.

May import ``live``, ``sessions``, ``guard``, ``core`` and ``games``.
"""
