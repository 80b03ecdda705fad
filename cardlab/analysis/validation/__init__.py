"""Checks the statistics on simulated studies with known parameters: coverage, uniform p values, recovery.

A check is a module with ``CASES``. Each case is a name and a function that simulates a number of studies and
returns their figures.
"""
