"""Commands that only Challenge has."""
