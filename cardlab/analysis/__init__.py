"""Analyses the data that Card Lab has recorded. ``python -m cardlab.analysis`` lists the commands.

Reads exports and logs, and needs neither oTree nor a server. May import ``games``.
"""
