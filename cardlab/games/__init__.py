"""The games: rules, texts, measures, search and strategies, and the record that all games share.

Pure Python without a clock or global state. Imports only the standard library and numba.
"""
