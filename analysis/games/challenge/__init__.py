"""Challenge, as only it is analysed."""
