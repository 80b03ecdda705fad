"""Rebuilds the tables and logs of a dataset from the actions in it, and compares them byte by byte.

Measures of hands follow from the table of actions and the rules. Payments also need the session's config,
which an archive has in ``materials/``. Other tables, such as page times and answers, and some columns of the
table of participants are original records. They are listed as records, because nothing determines them.
"""
