"""Assigns treatments by minimization (Pocock and Simon 1975): the covariates of participants stay balanced.

The imbalance of a treatment is computed as if the new participant got it. For each covariate, it counts the
participants with the same value in each treatment, and adds the range of these counts. The total number of
participants counts as one more covariate. With a given probability, the treatment with the least imbalance is
taken; otherwise one is drawn from all, in proportion to their shares. So assignments are unpredictable, and
shares are kept: drawing from the other treatments would favour those with small shares (Han et al. 2009).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

PROBABILITY = 0.8  # of the treatment with the least imbalance, unless the file says otherwise

Values = tuple[str, ...]  # of the covariates, in the order of the file


def minimized_treatment(
    shares: Mapping[str, int],
    values: Values,
    others: Sequence[tuple[str, Values]],
    probability: float,
    chance: Random,
) -> str:
    """Returns the treatment of a new participant.

    Args:
        shares: the treatments with their shares.
        values: the participant's values.
        others: the treatment and the values of each participant who counts.
        probability: how likely the treatment with the least imbalance is taken without drawing from all.
        chance: draws among treatments, in proportion to their shares.
    """
    imbalances = {name: _imbalance(shares, values, others, name) for name in shares}
    min_imbalance = min(imbalances.values())
    best_names = [name for name, imbalance in imbalances.items() if imbalance == min_imbalance]
    (candidates,) = chance.choices((best_names, [*shares]), (probability, 1 - probability))
    return chance.choices(candidates, [shares[name] for name in candidates])[0]


def _imbalance(
    shares: Mapping[str, int], values: Values, others: Sequence[tuple[str, Values]], new: str
) -> float:
    """Returns the sum of the ranges of counts, each divided by its share, if the participant gets ``new``."""
    everybody = [name for name, _theirs in others]
    alike = ([name for name, theirs in others if theirs[place] == own] for place, own in enumerate(values))
    return sum(_range(shares, Counter([new, *names])) for names in (everybody, *alike))


def _range(shares: Mapping[str, int], counts: Mapping[str, int]) -> float:
    in_proportion = [counts[name] / share for name, share in shares.items()]
    return max(in_proportion) - min(in_proportion)
