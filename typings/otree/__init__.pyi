# The parts of oTree 6.0.15 that Card Lab uses.
from . import settings as settings

__version__: str
