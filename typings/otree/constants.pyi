from typing import Any

timeout_happened: str
admin_secret_code: str
participant_label: str
field_required_msg: str

class BaseConstants:
    NAME_IN_URL: str
    PLAYERS_PER_GROUP: int | None
    NUM_ROUNDS: int
    @classmethod
    def get_normalized(cls, name: str) -> Any: ...

def get_roles(Constants: type[BaseConstants]) -> list[str]: ...
def get_role(roles: list[str], id_in_group: int) -> str: ...
