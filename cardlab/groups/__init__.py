"""Groups: who plays together, when their hand is closed to others, and how they learn that they may begin.

May import ``live``, ``sessions``, ``guard``, ``core`` and ``games``.
"""
