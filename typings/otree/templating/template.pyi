from collections.abc import Mapping
from typing import Any

class Template:
    template_id: str
    root_node: Any
    def render(self, *pos_args: Mapping[str, Any], strict_mode: bool = False, **kw_args: Any) -> str: ...
