"""Commands that only Triangle Solitaire has."""
