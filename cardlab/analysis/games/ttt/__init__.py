"""The analysis of Target the Two."""
