from typing import Any

class ModelForm:
    _fields: dict[str, Any]
    def validate(self) -> bool: ...
