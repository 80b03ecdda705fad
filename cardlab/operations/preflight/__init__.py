"""The checks of ``lab.py check``, one module per subject. Each yields findings: a kind and a sentence."""

OK, WARNING, ERROR = "OK", "Warning", "Error"  # as they are printed
Finding = tuple[str, str]  # one of these, and a sentence


def ok(sentence: str) -> Finding:
    """Returns a finding that all is well."""
    return OK, sentence


def warning(sentence: str) -> Finding:
    """Returns a finding of something that may go wrong."""
    return WARNING, sentence


def problem(sentence: str) -> Finding:
    """Returns a finding of something that must be fixed before a session."""
    return ERROR, sentence
