from . import baked as baked
