"""What can be asked of Target the Two alone."""
