"""Simulated participants, who play sessions through the same pages and sockets as a browser.

They use only what a page shows: no database, no oTree. ``python -m cardlab.rehearsal`` is the command;
``lab.py rehearse`` runs it on a separate server. May import ``games``.
"""
