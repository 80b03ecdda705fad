"""What ``lab.py`` does, with Python's standard library alone: it runs before anything is installed."""
