from . import cbv as cbv
from . import export as export
from . import rest as rest
from .abstract import Page as Page
from .abstract import WaitPage as WaitPage
