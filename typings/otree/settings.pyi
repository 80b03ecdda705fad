# oTree's defaults, and every name of the project's settings.py.
from typing import Any

ADMIN_PASSWORD: str
ADMIN_USERNAME: str
AUTH_LEVEL: str | None
DEBUG: bool
LANGUAGE_CODE: str
OTREE_APPS: list[str]
PARTICIPANT_FIELDS: list[str]
ROOMS: list[dict[str, Any]]
SECRET_KEY: str
SESSION_CONFIGS: list[dict[str, Any]]
SESSION_CONFIG_DEFAULTS: dict[str, Any]
SESSION_FIELDS: list[str]
THOUSAND_SEPARATOR: str
USE_POINTS: bool

def get_decimal_separator(lc: str) -> str: ...
def get_locale_name(language_code: str) -> str: ...
def __getattr__(name: str) -> Any: ...  # of settings.py
