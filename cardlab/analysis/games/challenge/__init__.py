"""Challenge, as only it is analysed: what moves were worth, how deep people looked ahead, its report."""
