"""The report of a session: one HTML page, and next to it the CSV file of every table and every plot.

``write`` writes it, ``data`` has the tables that it shows. Sections of a single game are in the module
``report`` of the game's package in ``cardlab.analysis.games``.
"""
