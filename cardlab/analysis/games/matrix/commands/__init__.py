"""Commands that only the matrix game has."""
