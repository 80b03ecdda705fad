from otree.templating.nodes import Node

class Token:
    text: str
    def __init__(self, token_type: str, token_text: str, template_id: str, line_number: int) -> None: ...

def compile(template_string: str, template_id: str, is_page_template: bool) -> Node: ...
