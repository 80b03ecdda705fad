"""Simulated participants, who play sessions over the pages and sockets that people's browsers open.

They know what a page shows and nothing else: no database, no oTree. ``python -m cardlab.rehearsal`` is the
command; ``lab.py rehearse`` gives it a server of its own.
"""
