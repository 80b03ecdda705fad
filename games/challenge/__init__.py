"""Challenge, or Svoyi Koziri: a game of pure skill for two (seed ``challenge``)."""
