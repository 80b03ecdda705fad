"""Intervals, comparisons and tests for data in which the same people, or groups of people, come again.

A **cluster** is what was drawn independently of the others: a participant where everybody plays alone, all
who played with each other where people interact (:func:`clusters.find_clusters`). Values of one cluster may
depend on each other in any way. Everything is computed over clusters, with 2,000 bootstrap samples or
permutations drawn by a fixed seed, so that the same data give the same numbers.

May import numpy and scipy alone.
"""
