"""The parameters of a recruiting service in a participant's link: those of Prolific.

Anybody can write a link, so only these names are kept, and only values of letters, digits, _ and -.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import urlencode

from otree.models import Participant
from starlette.requests import Request
from starlette.responses import Response

LABEL = "PROLIFIC_PID"  # the participant's label, if the link has no other
PARAMETERS = (LABEL, "STUDY_ID", "SESSION_ID")
LINK = "link_parameters"  # in the participant's vars

_VALUE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}")
_OTREES = "participant_label"


def link_parameters(query: Mapping[str, str]) -> dict[str, str]:
    """Returns the service's parameters of a link that are valid."""
    return {name: query[name] for name in PARAMETERS if name in query and _VALUE.fullmatch(query[name])}


def with_label(request: Request) -> Request:
    """Returns the request; if it has no label, with the service's ID as its label."""
    query, parameters = dict(request.query_params), link_parameters(request.query_params)
    if query.get(_OTREES) or LABEL not in parameters:
        return request
    query_string = urlencode({**query, _OTREES: parameters[LABEL]}).encode()
    return Request({**request.scope, "query_string": query_string}, request.receive)


def add_to_start_link(answer: Response, request: Request) -> Response:
    """Adds the parameters of a room's link to the start link that it leads to."""
    parameters, target = link_parameters(request.query_params), answer.headers.get("location", "")
    if parameters and target.startswith("/InitializeParticipant/"):
        answer.headers["location"] = f"{target}?{urlencode(parameters)}"
    return answer


def store_parameters(participant: Participant, query: Mapping[str, str]) -> None:
    """Stores the parameters of the participant's first link that has any."""
    parameters = link_parameters(query)
    if parameters and not stored_parameters(participant):
        participant.vars[LINK] = parameters


def stored_parameters(participant: Participant) -> dict[str, str]:
    """Returns the parameters of the participant's link; {} if there were none."""
    parameters: dict[str, str] = participant.vars.get(LINK, {})
    return parameters
