class Pool:
    _pre_ping: bool
    _reset_on_return: object

reset_none: object
