"""What can be asked of Challenge alone."""
