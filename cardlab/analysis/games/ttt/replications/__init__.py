"""Replications of published experiments with Target the Two: a folder for each study.

``study.toml`` has the study's findings with their sources, the session configs, and what is not known.
``design.toml`` is the design to preregister. Only what could be read in a source is stated as published.
"""

from __future__ import annotations

from cardlab.games.columns import Integer, Number

AGREES, OPPOSITE, UNCLEAR, DIFFERENT, NOT_KNOWN = "agrees", "opposite", "unclear", "different", "not known"
COLUMNS = {
    "claim": "the finding of the publication",
    "published": f"the published number; `{NOT_KNOWN}` if it is not in what was read",
    "estimate": Number("the figure of the data; of times, a contrast is a ratio"),
    "low": Number("bounds of the 95 % interval"),
    "high": Number("bounds of the 95 % interval"),
    "result": (
        f"`{AGREES}`: all of the interval is in the published direction, or it contains the published "
        f"number; `{OPPOSITE}`: all of it is in the other direction; `{UNCLEAR}`: it includes both; "
        f"`{DIFFERENT}`: it does not contain the number; empty: there is nothing to compare"
    ),
    "figure": "what was computed: a mean, a share of participants, or a contrast of two means",
    "n": Integer("participants with a value; in a contrast, of both sides"),
    "clusters": Integer("independent observations: participants, or groups of those who met"),
    "method": "method of the interval, or why there is no figure",
    "source": "where the finding is",
}
