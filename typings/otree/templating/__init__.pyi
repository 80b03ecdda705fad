from . import context as context
from . import errors as errors
from .loader import ibis_loader as ibis_loader
from .loader import render as render
