"""The pages that all games share: hand, tutorial, comprehension check, waiting page and results.

May import ``groups``, ``live``, ``sessions``, ``guard``, ``core`` and ``games``.
"""
