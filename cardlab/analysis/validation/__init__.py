"""Checks the statistics on simulated studies whose truth is known: coverage, uniform p values, recovery.

A check is a module with ``CASES``: each case is a name, and a function that returns the figures of so many
simulated studies.
"""
