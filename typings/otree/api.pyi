from . import database as models
from .bots.bot import Bot as Bot
from .bots.bot import Submission as Submission
from .bots.bot import SubmissionMustFail as SubmissionMustFail
from .bots.bot import expect as expect
from .constants import BaseConstants as BaseConstants
from .currency import Currency as Currency
from .currency import Currency as cu
from .database import ExtraModel as ExtraModel
from .forms import widgets as widgets
from .models import BaseGroup as BaseGroup
from .models import BasePlayer as BasePlayer
from .models import BaseSubsession as BaseSubsession
from .views.abstract import Page as Page
from .views.abstract import WaitPage as WaitPage

__all__ = [
    "BaseConstants",
    "BaseGroup",
    "BasePlayer",
    "BaseSubsession",
    "Bot",
    "Currency",
    "ExtraModel",
    "Page",
    "Submission",
    "SubmissionMustFail",
    "WaitPage",
    "cu",
    "expect",
    "models",
    "widgets",
]
