"""Commands that only Target the Two has."""
