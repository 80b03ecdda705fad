"""Fits models of planning to the choices of a participant of Challenge, and compares them.

*Search* means that players consider at least one action after their own move. ``search_1`` to ``search_8``
value a move by best play for 1 to 8 more actions. Their rivals do not search:

- ``random``: any move;
- ``greedy``, ``hoarding``, ``recency``: the ranks of a heuristic (``heuristics.HEURISTICS``);
- ``mixture``: at each move one of these heuristics or a random move;
- ``static``: the value of the position after the move, which is depth 0;
- ``features``: a weighted sum of that value and of properties of the move (``heuristics.FEATURES``).

A model chooses a move with a probability proportional to exp(value / noise), and with the probability
``lapse`` at random. ``…_drop_out`` also overlooks each feature of the evaluation with the probability
``drop_out`` at each choice, and ``…_pruned_40`` and ``…_pruned_10`` search only moves near the best
(``variants``).

The idea is from van Opheusden et al., Nature 618 (2023), 1000–1005. Their model grows a tree by best-first
search, so that its likelihood must be simulated. Here depth is a parameter and the few features can be
dropped in only 16 ways, so that all likelihoods are exact.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from cardlab.analysis.choice_models import checks
from cardlab.games.challenge.heuristics import FEATURES, HEURISTICS
from cardlab.games.challenge.planning import DEPTHS, NOISE, Choice
from cardlab.games.challenge.variants import FEATURES as EVALUATED
from cardlab.games.challenge.variants import SUBSETS, THRESHOLDS

Floats = npt.NDArray[np.float64]

FEWEST = 20  # choices for a verdict
EVIDENCE = 0.95  # the least weight of the models that search, for the verdict ``search``
LIKELIHOOD_MARGIN = 1.92  # of the interval of depths: half of the 95 % quantile of chi², 1 df
SEARCH, NO_EVIDENCE, TOO_FEW = "search", "no evidence of search", "too few choices"

_NOISE = (0.1, 2_000.0)  # bounds, in points of the evaluation
_RANK_NOISE = (0.02, 20.0)  # bounds, in ranks
_LAPSE = (1e-6, 0.999)
_STARTING_LAPSES = (0.01, 0.1, 0.5, 0.9)
_STARTS = 16  # starting values of the noise
_TINY = 1e-300
_ENDS = ("low", "high")
_OPTIONS = {"ftol": 1e-7}  # relative


class Data(NamedTuple):
    """The choices of a participant as arrays, padded to the largest number of moves.

    ``scores`` has the shape (depths, choices, moves), ``ranks`` (heuristics, choices, moves), ``features``
    (choices, moves, features), ``legal`` (choices, moves) and ``chosen`` (choices). ``limited`` has the
    values in the ``VARIANTS`` (thresholds, subsets, depths, choices, moves), or no thresholds.
    """

    scores: Floats
    ranks: Floats
    features: Floats
    legal: npt.NDArray[np.bool_]
    chosen: npt.NDArray[np.int64]
    limited: Floats

    @property
    def random_probabilities(self) -> Floats:
        """The probabilities of random choice, of shape (choices, moves)."""
        equal: Floats = self.legal / self.legal.sum(1, keepdims=True)
        return equal


Values = Sequence[float] | Floats  # of the parameters
Chances = Callable[[Values, Data], Floats]  # parameters → probabilities of shape (choices, moves)


class Parameter(NamedTuple):
    """A parameter with its bounds.

    ``starts`` are the starting values of the optimizer, ``typical`` is the range of simulated players. On a
    logarithmic scale (``is_log``) the bounds are positive. ``log_prior`` is added to the log-likelihood.
    """

    name: str
    low: float
    high: float
    starts: tuple[float, ...]
    typical: tuple[float, float]
    is_log: bool = False
    log_prior: Callable[[float], float] = lambda _value: 0.0


class Model(NamedTuple):
    """A model of choice.

    ``depth`` is None for a model that is not a search of fixed depth. ``threshold`` is that of a model that
    drops features, an index of ``THRESHOLDS``, None for others.
    """

    name: str
    meaning: str
    parameters: tuple[Parameter, ...]
    chances: Chances
    depth: int | None = None
    threshold: int | None = None

    @property
    def group(self) -> str:
        """The name of the model of the same depth that sees everything."""
        return self.name if self.depth is None else _name_of(self.depth)

    @property
    def searches(self) -> bool:
        """Whether the model looks at least one action past the player's own move."""
        return bool(self.depth)


class Estimate(NamedTuple):
    """The estimates of a model, by parameter, and the log-likelihood there."""

    values: Mapping[str, float]
    log_likelihood: float


class Fit(NamedTuple):
    """The models of a participant.

    Attributes:
        estimates: The fit of each model.
        weights: The weights of the models by BIC, which add up to 1 (:func:`weigh`).
        search_weight: The weight by BIC of all models that search.
        search_weight_aicc: The same by AICc.
        verdict: ``SEARCH``, ``NO_EVIDENCE`` or ``TOO_FEW``.
        model: The name of the model with the highest weight.
        depth: The most likely depth, 0 for ``static``.
        depth_model: The name of the most likely model of this depth.
        low: The lowest depth whose log-likelihood is lower by at most ``LIKELIHOOD_MARGIN``.
        high: The highest such depth.
        gain: Mean log-likelihood per choice at ``depth``, minus that of random choice, in nats.
    """

    estimates: Mapping[str, Estimate]
    weights: Mapping[str, float]
    search_weight: float
    search_weight_aicc: float
    verdict: str
    model: str
    depth: int
    depth_model: str
    low: int
    high: int
    gain: float

    @property
    def at_depth(self) -> Estimate:
        """The most likely fit at the most likely depth."""
        return self.estimates[self.depth_model]

    @property
    def models(self) -> list[Model]:
        """The fitted models."""
        return [model for model in MODELS if model.name in self.estimates]

    @property
    def threshold(self) -> int:
        """The pruning threshold at the most likely depth, in points, 0 without pruning."""
        (model,) = (model for model in self.models if model.name == self.depth_model)
        return THRESHOLDS[model.threshold or 0]


def make_data(choices: Sequence[Choice]) -> Data:
    """Returns the choices, of which there is at least one, as arrays."""
    most = max(len(choice.features) for choice in choices)
    legal = np.zeros((len(choices), most), dtype=bool)
    depths = len(choices[0].scores)
    scores = np.zeros((depths, len(choices), most))
    limited = np.zeros((len(choices[0].limited) // len(SUBSETS), len(SUBSETS), depths, len(choices), most))
    ranks = np.zeros((len(HEURISTICS), len(choices), most))
    features = np.zeros((len(choices), most, len(FEATURES)))
    for number, choice in enumerate(choices):
        count = len(choice.features)
        legal[number, :count] = True
        scores[:, number, :count] = choice.scores
        ranks[:, number, :count] = choice.ranks
        features[number, :count] = choice.features
        if choice.limited:
            limited[..., number, :count] = np.reshape(choice.limited, (-1, len(SUBSETS), depths, count))
    return Data(scores, ranks, features, legal, np.array([choice.chosen for choice in choices]), limited)


def softmax(values: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
    """Returns the probabilities of the legal moves (the last axis), proportional to exp(value)."""
    masked = np.where(legal, values, -np.inf)
    powers = np.exp(masked - masked.max(-1, keepdims=True))
    chances: Floats = powers / powers.sum(-1, keepdims=True)
    return chances


def _with_lapse(chances: Floats, lapse: float, data: Data) -> Floats:
    return (1 - lapse) * chances + lapse * data.random_probabilities


def _by_depth(depth: int) -> Chances:
    def chances(values: Values, data: Data) -> Floats:
        noise, lapse = values
        return _with_lapse(softmax(data.scores[depth] / noise, data.legal), lapse, data)

    return chances


def _with_drop_out(depth: int, threshold: int) -> Chances:
    def chances(values: Values, data: Data) -> Floats:
        noise, lapse, drop_out = values
        by_subset = softmax(data.limited[threshold, :, depth] / noise, data.legal)
        shares = drop_out**_DROPPED * (1 - drop_out) ** (len(EVALUATED) - _DROPPED)
        return _with_lapse(np.tensordot(shares, by_subset, 1), lapse, data)

    return chances


_DROPPED = np.array([len(subset) for subset in SUBSETS])


def _by_rank(heuristic: int) -> Chances:
    def chances(values: Values, data: Data) -> Floats:
        noise, lapse = values
        return _with_lapse(softmax(-data.ranks[heuristic] / noise, data.legal), lapse, data)

    return chances


def _mixed(values: Values, data: Data) -> Floats:
    noise, *powers = values
    shares = np.exp([0.0, *powers])
    shares /= shares.sum()
    mixture: Floats = shares[0] * data.random_probabilities
    for share, ranks in zip(shares[1:], data.ranks):
        mixture = mixture + share * softmax(-ranks / noise, data.legal)
    return mixture


def _by_features(values: Values, data: Data) -> Floats:
    lapse, worth, *weights = values
    scores = worth * data.scores[0] / _SCALE + data.features @ np.array(weights)
    return _with_lapse(softmax(scores, data.legal), lapse, data)


_SCALE = 20.0  # points of the evaluation per unit, so that weights have similar sizes
_LAPSED = Parameter("lapse", *_LAPSE, _STARTING_LAPSES, (_LAPSE[0], 0.1))
_POINT_NOISE = Parameter("noise", *_NOISE, tuple(np.geomspace(*_NOISE, _STARTS)), (2.0, 50.0), True)
_RANKED_NOISE = Parameter(
    "noise", *_RANK_NOISE, tuple(np.geomspace(*_RANK_NOISE, _STARTS)), (0.02, 1.0), True
)


# Noise, lapse and drop-out explain the same choices in part, so that maximum-likelihood estimates of few
# choices can be extreme. The weak priors are a log-normal (median 10 points, log SD 1.5), Beta(1, 20) and
# Beta(1, 3).
_OVERLOOKING = (
    _POINT_NOISE._replace(
        starts=tuple(np.geomspace(*_NOISE, _STARTS // 2)),
        log_prior=lambda noise: -0.5 * (math.log(noise / NOISE) / 1.5) ** 2,
    ),
    _LAPSED._replace(starts=(0.01, 0.1, 0.5), log_prior=lambda lapse: 19 * math.log(1 - lapse)),
    Parameter("drop_out", 0.0, 0.9, (0.05, 0.3), (0.0, 0.4), log_prior=lambda share: 2 * math.log(1 - share)),
)


def _name_of(depth: int) -> str:
    return f"search_{depth}" if depth else "static"


def _limited_models() -> Iterator[Model]:
    """Yields the models that drop features. Below depth 2 pruning changes nothing."""
    for number, threshold in enumerate(THRESHOLDS):
        for depth in DEPTHS[2 if threshold else 0 :]:
            pruned = f", and searches moves at most {threshold} points below the best" if threshold else ""
            yield Model(
                f"{_name_of(depth)}_{f'pruned_{threshold}' if threshold else 'drop_out'}",
                f"as `{_name_of(depth)}`, but drops features{pruned}",
                _OVERLOOKING,
                _with_drop_out(depth, number),
                depth,
                number,
            )


MODELS: tuple[Model, ...] = (
    Model("random", "any move, each equally likely", (), lambda _values, data: data.random_probabilities),
    *(
        Model(name, meaning, (_RANKED_NOISE, _LAPSED), _by_rank(number))
        for number, (name, (meaning, _key)) in enumerate(HEURISTICS.items())
    ),
    Model(
        "mixture",
        "at each move one of the heuristics, or a random move",
        (
            _RANKED_NOISE._replace(starts=(0.05, 0.5)),
            *(Parameter(f"share of {name}", -12.0, 12.0, (1.0,), (-2.0, 2.0)) for name in HEURISTICS),
        ),
        _mixed,
    ),
    Model(
        "features",
        "weighs the value after the player's own move, and properties of the card",
        (
            _LAPSED._replace(starts=(0.02,)),
            *(Parameter(name, -30.0, 30.0, (0.0,), (-1.0, 1.0)) for name in ("value", *FEATURES)),
        ),
        _by_features,
    ),
    *(
        Model(
            _name_of(depth),
            f"the value after {depth} more actions" if depth else "the value after the player's own move",
            (_POINT_NOISE, _LAPSED),
            _by_depth(depth),
            depth,
        )
        for depth in DEPTHS
    ),
    *_limited_models(),
)


GROUPS = [model for model in MODELS if model.group == model.name]
"""The models without drop-out. Models of the same depth form a group."""


def log_likelihood(model: Model, values: Values, data: Data) -> float:
    """Returns the log-likelihood of the choices."""
    chances = model.chances(values, data)[np.arange(len(data.chosen)), data.chosen]
    return float(np.log(np.maximum(chances, _TINY)).sum())


def estimate(model: Model, data: Data) -> Estimate:
    """Returns the maximum-likelihood estimates, with priors the modes: points of a grid, refined by L-BFGS-B.

    The best grid point for each start of the last parameter is refined, because the likelihood has several
    maxima: lapse and noise can explain the same choices.
    """
    if not model.parameters:
        return Estimate({}, log_likelihood(model, (), data))

    def loss(place: Floats) -> float:
        values = _unscaled(model, place)
        priors = sum(part.log_prior(value) for part, value in zip(model.parameters, values))
        return -log_likelihood(model, values, data) - priors

    bounds = [*zip(*(_scaled(model, [getattr(part, end) for part in model.parameters]) for end in _ENDS))]
    places = [
        minimize(loss, _scaled(model, point), method="L-BFGS-B", bounds=bounds, options=_OPTIONS).x
        for point in _starting_points(model, data)
    ]
    best = _unscaled(model, min(places, key=loss))
    names = [part.name for part in model.parameters]
    return Estimate(dict(zip(names, map(float, best))), log_likelihood(model, best, data))


def _starting_points(model: Model, data: Data) -> list[tuple[float, ...]]:
    """Returns the most likely point of the grid for each start of the last parameter."""
    *others, last = (part.starts for part in model.parameters)
    return [
        max(itertools.product(*others, (end,)), key=lambda point: log_likelihood(model, point, data))
        for end in last
    ]


def _scaled(model: Model, values: Values) -> Floats:
    return np.array([math.log(x) if part.is_log else x for part, x in zip(model.parameters, values)])


def _unscaled(model: Model, places: Floats) -> Floats:
    return np.array([math.exp(x) if part.is_log else x for part, x in zip(model.parameters, places)])


def weigh(
    estimates: Mapping[str, Estimate], choices: int, criterion: Callable[[float, int, int], float | None]
) -> dict[str, float]:
    """Returns the weights of the models by BIC or AICc, ``criterion``. They add up to 1.

    Search and no search have equal prior probability, and so have the models of each kind.
    """
    models = [model for model in MODELS if model.name in estimates]
    kinds = [model.searches for model in models]
    scores = np.full(len(models), np.inf)  # of models with too many parameters for AICc
    for number, model in enumerate(models):
        score = criterion(estimates[model.name].log_likelihood, len(model.parameters), choices)
        if score is not None:
            scores[number] = score + 2 * math.log(kinds.count(model.searches))
    weights = np.exp(-(scores - scores.min()) / 2)
    weights /= weights.sum()
    return dict(zip((model.name for model in models), map(float, weights)))


def fit(choices: Sequence[Choice]) -> Fit | None:
    """Fits all models whose depth was searched; None without choices."""
    return fit_data(make_data(choices)) if choices else None


def fit_data(data: Data) -> Fit:
    """Fits all models whose depth and variant were searched."""
    count = len(data.chosen)
    models = [
        model
        for model in MODELS
        if (model.depth or 0) < len(data.scores)
        and (model.threshold is None or model.threshold < len(data.limited))
    ]
    estimates = {model.name: estimate(model, data) for model in models}
    by_bic, by_aicc = (weigh(estimates, count, one) for one in (checks.bic, checks.aicc))
    search_weight = _search_weight(by_bic)
    verdict = SEARCH if search_weight >= EVIDENCE else NO_EVIDENCE
    by_depth = [_best_of_depth(depth, models, estimates) for depth in range(len(data.scores))]
    profile = [estimates[model.name].log_likelihood for model in by_depth]
    best_depth = max(range(len(profile)), key=profile.__getitem__)
    near = [d for d, value in enumerate(profile) if profile[best_depth] - value <= LIKELIHOOD_MARGIN]
    return Fit(
        estimates=estimates,
        weights=by_bic,
        search_weight=search_weight,
        search_weight_aicc=_search_weight(by_aicc),
        verdict=verdict if count >= FEWEST else TOO_FEW,
        model=max(by_bic, key=by_bic.__getitem__),
        depth=best_depth,
        depth_model=by_depth[best_depth].name,
        low=near[0],
        high=near[-1],
        gain=(profile[best_depth] - estimates["random"].log_likelihood) / count,
    )


def _best_of_depth(depth: int, models: Sequence[Model], estimates: Mapping[str, Estimate]) -> Model:
    same = [model for model in models if model.depth == depth]
    return max(same, key=lambda model: estimates[model.name].log_likelihood)


def _search_weight(weights: Mapping[str, float]) -> float:
    return sum(weights.get(model.name, 0) for model in MODELS if model.searches)
