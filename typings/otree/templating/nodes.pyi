from typing import Any

class Node:
    token: Any
    children: list[Node]
    def __init__(self, token: Any = None, children: list[Node] | None = None) -> None: ...
    def wrender(self, context: Any) -> str: ...

class TextNode(Node): ...

class TransNode(Node):
    term_literal: Any
