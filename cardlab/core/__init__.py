"""A hand on the server, without oTree: its transitions, messages and record lines.

May import ``games``.
"""
