from typing import Any

from sqlalchemy import Column

from .database import AnyModel

class PageTimeBatch(AnyModel):
    text: Column[str]

class TaskQueueMessage(AnyModel):
    method: Column[str]
    kwargs_json: Column[str]
    epoch_time: Column[float]
    def kwargs(self) -> dict[str, Any]: ...
