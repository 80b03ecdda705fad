"""Models of choice in 2×2 games, fitted by likelihood to the choices of each participant.

``data`` holds a participant's choices, ``model`` the parts of a model. Each model has a module: ``qre``,
``level_k`` (also cognitive hierarchy), ``learning`` (beliefs, reinforcement, EWA) and ``fehr_schmidt``.
``fitting`` estimates parameters, per person and hierarchically; ``checks`` compares models and simulates
from them.
"""

from cardlab.analysis.choice_models import fehr_schmidt, learning, level_k, qre
from cardlab.analysis.choice_models.model import RANDOM, Model

MODELS: tuple[Model, ...] = (
    RANDOM,
    *level_k.LEVELS,
    level_k.COGNITIVE_HIERARCHY,
    qre.MODEL,
    learning.BELIEFS,
    learning.REINFORCEMENT,
    learning.EWA,
    fehr_schmidt.MODEL,
)
