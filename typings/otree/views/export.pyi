from io import BytesIO, StringIO
from typing import IO, Any

from starlette.datastructures import QueryParams
from starlette.endpoints import HTTPEndpoint
from starlette.requests import Request
from starlette.responses import Response

from . import cbv

BOM: str

def get_csv_http_response(buffer: StringIO | BytesIO, filename_prefix: str) -> Response: ...

class ExportMixin:
    url_pattern: str
    url_name: str
    def file_name_stem(self) -> str: ...
    def write_to_buf(self, buf: IO[str], session_code: str | None, query_params: QueryParams) -> None: ...
    def process_export(self, request: Request) -> Response: ...

class BaseExport(ExportMixin, HTTPEndpoint):
    def get(self, request: Request) -> Any: ...

class LoginProtectedExport(ExportMixin, cbv.AdminView):
    def get(self, *args: Any, **kwargs: Any) -> Any: ...

class ExportPageTimes(BaseExport): ...
class ExportPageTimesLogin(LoginProtectedExport): ...
class ExportWideLogin(LoginProtectedExport): ...
