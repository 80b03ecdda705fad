"""What ``lab.py`` does: a module for each command, and what the commands share.

May import Python's standard library alone, because it runs before anything is installed.
"""
