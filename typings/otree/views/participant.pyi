from collections.abc import Mapping

from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from ..room import BaseRoom

def no_participants_left_http_response() -> Response: ...
def validate_room_visitor(room: BaseRoom, query_params: Mapping[str, str]) -> dict[str, str]: ...

class AssignVisitorToRoom(HTTPEndpoint):
    def get(self, request: Request) -> Response: ...

class InitializeParticipant(HTTPEndpoint):
    def get(self, request: Request) -> Response: ...

class OutOfRangeNotification(HTTPEndpoint):
    def get(self, request: Request) -> Response: ...

class SessionWideLink(HTTPEndpoint):
    def get(self, request: Request) -> Response: ...
