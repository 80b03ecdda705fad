from ..engine import Dialect

class _DialectModule:
    def dialect(self) -> Dialect: ...

sqlite: _DialectModule
postgresql: _DialectModule
