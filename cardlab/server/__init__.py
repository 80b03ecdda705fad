"""The server process: what is added to oTree and changed in it, startup, static files and the guard.

May import every package below the apps but ``analysis``, ``rehearsal`` and ``operations``.
"""
