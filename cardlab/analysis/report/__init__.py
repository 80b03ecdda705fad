"""The report of a session: an HTML page, and next to it the files of every table and plot.

``write`` writes it, and ``data`` gathers its data. The sections of a single game are in the module ``report``
of the game's package in ``cardlab.analysis.games``.
"""
