"""Freezes the plan of a study in a document, and compares the data with it."""
