"""Intervals, comparisons and tests for clustered data: repeated measures of people or of groups of people.

A **cluster** is an independent unit: a participant if everybody plays alone, or all participants who met
directly or through others (:func:`clusters.find_clusters`). Values within a cluster may be dependent.
Everything is computed over clusters, with 2,000 bootstrap samples or permutations and a fixed seed, so that
the same data give the same numbers.

May import only numpy and scipy.
"""
