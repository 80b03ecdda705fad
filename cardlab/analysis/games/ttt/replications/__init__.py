"""Replications of published experiments with Target the Two: a folder for each study.

``study.toml`` has the study's findings with their sources, the session configs, and what is not known.
``design.toml`` is the design to preregister. Only what could be read in a source is stated as published.
"""
