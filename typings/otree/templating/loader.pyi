from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.responses import HTMLResponse as HTMLResponse

from .template import Template

class FileLoader:
    dirs: tuple[Path, ...]
    cache: dict[str, Template]
    def load(self, filename: str, template_type: str | None = None) -> Template: ...
    def search_template(self, template_id: str) -> Path: ...

ibis_loader: FileLoader

def render(
    template_name: str, context: Mapping[str, Any], template_type: str | None = None, **extra_context: Any
) -> HTMLResponse: ...
