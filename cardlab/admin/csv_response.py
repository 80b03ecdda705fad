"""CSV files as HTTP responses."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from starlette.responses import Response


def csv_response(name: str, rows: Iterable[Sequence[Any]]) -> Response:
    """Returns a download of rows of cells, which is not cached."""
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    headers = {"Cache-Control": "no-store", "Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)
