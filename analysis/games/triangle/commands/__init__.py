"""What can be asked of Triangle Solitaire alone."""
