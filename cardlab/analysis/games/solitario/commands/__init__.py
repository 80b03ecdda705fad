"""Commands that only Solitario has."""
