"""Target the Two Solo, as only it is analysed: its logs, the Transform summary, best play of a show file."""
