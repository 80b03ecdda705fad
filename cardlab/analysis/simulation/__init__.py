"""Simulates sessions that named strategies play, as the table of actions that the server would export.

The seed and the arguments determine everything, on any machine: no clock is read, nothing depends on the
order of a set, and fractions are decimals of a fixed precision. May import ``cardlab.games``.
"""
