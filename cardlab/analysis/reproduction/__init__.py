"""Rebuilds the tables and logs of a dataset from the actions in it, and compares them byte by byte.

What hands tell follows from the table of actions and the rules; what is paid follows from that and from the
session's config, which an archive has in ``materials/``. Other tables, and some columns of the table of
participants, are records themselves, such as page times and answers. They are named as such.
"""
