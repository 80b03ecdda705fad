# The parts of SQLAlchemy 1.3.22 that Card Lab uses.
from collections.abc import Callable, Mapping
from typing import Any

from . import event as event
from . import exc as exc
from . import pool as pool
from .engine import Connection, Engine, Inspector
from .engine.url import URL
from .sql import BigInteger as BigInteger
from .sql import Boolean as Boolean
from .sql import Column as Column
from .sql import Float as Float
from .sql import ForeignKey as ForeignKey
from .sql import Index as Index
from .sql import Integer as Integer
from .sql import MetaData as MetaData
from .sql import String as String
from .sql import Table as Table
from .sql import Text as Text
from .sql import _Func
from .sql import and_ as and_
from .sql import bindparam as bindparam
from .sql import or_ as or_
from .sql import select as select
from .sql import text as text

func: _Func

def create_engine(
    url: str | URL,
    *,
    poolclass: type[pool.Pool] = ...,
    creator: Callable[[], Any] = ...,
    connect_args: Mapping[str, Any] = ...,
    hide_parameters: bool = ...,
) -> Engine: ...
def inspect(subject: Connection | Engine) -> Inspector: ...
