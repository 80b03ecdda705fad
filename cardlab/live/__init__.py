"""A hand during play: sockets, the service that writes records, their store, presence, pauses.

May import ``sessions``, ``guard``, ``core`` and ``games``.
"""
