"""Sessions that named strategies play, as the table of actions that the server would export of them.

Everything follows from the seed and the arguments, on any machine: no clock is read, nothing depends on the
order of a set, and fractions are computed in decimals of a fixed precision. May import ``cardlab.games``.
"""
