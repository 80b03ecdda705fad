"""Verifies that tables, archives and databases are whole: nothing was altered, removed or added."""
