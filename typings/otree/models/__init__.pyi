from .group import BaseGroup as BaseGroup
from .participant import Participant as Participant
from .player import BasePlayer as BasePlayer
from .session import Session as Session
from .subsession import BaseSubsession as BaseSubsession
