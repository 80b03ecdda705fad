"""The matrix card game, as only it is analysed."""
