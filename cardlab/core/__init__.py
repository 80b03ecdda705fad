"""A hand on the server, without oTree: its transitions, the messages and the stored lines of its record.

May import ``games``.
"""
