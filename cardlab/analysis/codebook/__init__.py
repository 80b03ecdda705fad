"""The codebook of a folder with tables: type and meaning of every column, and code that reads the tables.

``columns`` knows the columns, ``dataset`` writes the codebook. ``read_data.py`` and ``read_data.R`` are
copied next to it.
"""
