"""The export tables, and the worker process that writes them at low priority.

May import ``pages``, ``groups``, ``live``, ``sessions``, ``guard``, ``core`` and ``games``.
"""
