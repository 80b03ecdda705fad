"""The commands of ``lab.py``, one module each, and the modules that they share.

May import only Python's standard library, because it runs before anything is installed.
"""
