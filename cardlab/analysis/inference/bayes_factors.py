"""The Bayes factor of a t statistic, with the usual default prior of effect sizes."""

from __future__ import annotations

from math import exp, log, nan

import numpy as np
from scipy import integrate

SCALE = np.sqrt(0.5)  # of the Cauchy prior of the standardized difference, "medium" in R's BayesFactor


def bayes_factor(t: float, size: float, freedom: float) -> float:
    """Returns the Bayes factor BF₁₀ of a t statistic: a difference against none.

    The standardized difference has a Cauchy prior (Rouder et al., Psychon. Bull. Rev. 16 (2009) 225, with
    ``SCALE`` instead of 1).

    Parameters:
        t: the statistic.
        size: the effective sample size: n of one sample, n₁n₂ / (n₁ + n₂) of two.
        freedom: the degrees of freedom.

    NaN if a parameter is not finite, or ``freedom`` is not positive.
    """
    if not np.isfinite([t, size, freedom]).all() or freedom <= 0:
        return nan
    log_null = -(freedom + 1) / 2 * np.log1p(t**2 / freedom)

    def density(z: float) -> float:
        """Returns the density ratio at g = exp(z), times the inverse-gamma prior of g and the Jacobian."""
        spread = 1 + size * SCALE**2 * exp(z)
        log_likelihood = -log(spread) / 2 - (freedom + 1) / 2 * np.log1p(t**2 / (spread * freedom))
        log_prior = -log(2 * np.pi) / 2 - z / 2 - exp(-z) / 2
        return float(np.exp(log_likelihood - log_null + log_prior))

    return float(integrate.quad(density, -8, 60, limit=200, points=[0.0, 10.0])[0])
