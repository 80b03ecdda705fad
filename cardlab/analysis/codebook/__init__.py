"""The codebook of a folder with tables: type and meaning of every column, and code that reads the tables.

``columns`` describes the columns, ``dataset`` writes the codebook and copies ``read_data.py`` and
``read_data.R`` next to it.
"""
