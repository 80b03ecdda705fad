"""Target the Two, as only it is analysed: its logs, the Transform summary, best play of a show file."""
