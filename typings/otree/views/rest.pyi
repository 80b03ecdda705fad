from typing import Any

from starlette.responses import Response

from ..models import Session
from ..session import create_session as create_session
from .cbv import BaseRESTView

def session_attrs_for_detail(session: Session) -> dict[str, Any]: ...

class RESTGetSessionInfo(BaseRESTView): ...
class RESTGetSessionInfoLegacy(BaseRESTView): ...

class RESTParticipantVarsByRoom(BaseRESTView):
    def post(self, room_name: str, participant_label: str, vars: dict[str, Any]) -> Response: ...
