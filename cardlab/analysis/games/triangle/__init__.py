"""Triangle Solitaire, as only it is analysed."""
