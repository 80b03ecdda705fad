"""Prints the mutants of a module, one JSON object a line.

Runs in ``.venv-mutation``, because oTree requires an older click.

A mutant is the module with one operator, number, comparison, condition or loop changed by cosmic-ray. Each
operator gets only one of its possible replacements. Strings, annotations, which never run, and the options of
decorators, which save memory or time, are not mutated.
"""

from __future__ import annotations

import ast
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator

ARITHMETIC = ("Add_Sub", "Sub_Add", "Mul_Div", "Div_Mul", "FloorDiv_Mul", "Mod_Mul", "Pow_Mul")
BITS = ("LShift_RShift", "RShift_LShift", "BitOr_BitAnd", "BitAnd_BitOr", "BitXor_BitOr")
COMPARISONS = ("Eq_NotEq", "NotEq_Eq", "Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Is_IsNot", "IsNot_Is")
OPERATORS = (
    *(f"ReplaceBinaryOperator_{pair}" for pair in (*ARITHMETIC, *BITS)),
    *(f"ReplaceComparisonOperator_{pair}" for pair in COMPARISONS),
    *("AddNot", "ReplaceUnaryOperator_Delete_Not", "ReplaceUnaryOperator_Delete_USub", "NumberReplacer"),
    *("ReplaceTrueWithFalse", "ReplaceFalseWithTrue", "ReplaceAndWithOr", "ReplaceOrWithAnd"),
    *("ReplaceBreakWithContinue", "ReplaceContinueWithBreak", "ExceptionReplacer", "ZeroIterationForLoop"),
)
TWO_MUTANTS = ("NumberReplacer",)  # the number plus 1, and minus 1; the first is taken

Span = tuple[tuple[int, int], tuple[int, int]]  # the line and column of a start and an end


def mutants(source: str) -> Iterator[dict[str, Any]]:
    """Yields the line, the text before and after, and the source of each mutant."""
    inert, seen = list(inert_spans(source)), {source}
    nodes = list(ast_nodes(get_ast(source)))
    for name in OPERATORS:
        operator = get_operator(f"core/{name}")()
        spans = [span for node in nodes for span in operator.mutation_positions(node)]
        for occurrence, (start, _end) in enumerate(spans):
            is_inert = any(first <= start < last for first, last in inert)
            if is_inert or (name in TWO_MUTANTS and occurrence % 2):
                continue
            mutated = mutate_code(source, operator, occurrence)
            if mutated and mutated not in seen and is_python(mutated):
                seen.add(mutated)
                yield {"line": start[0], **difference(source, mutated), "source": mutated}


def inert_spans(source: str) -> Iterator[Span]:
    """Yields the spans of annotations and decorators."""
    lines = source.splitlines()
    for node in ast.walk(ast.parse(source)):
        annotations = (getattr(node, "annotation", None), getattr(node, "returns", None))
        for each in (*filter(None, annotations), *getattr(node, "decorator_list", ())):
            columns = ((each.lineno, each.col_offset), (each.end_lineno, each.end_col_offset))
            start, end = ((line, len(lines[line - 1].encode()[:column].decode())) for line, column in columns)
            yield start, end


def is_python(source: str) -> bool:
    """Returns whether a source can be compiled."""
    try:
        compile(source, "mutant", "exec")
    except SyntaxError:
        return False
    return True


def difference(source: str, mutated: str) -> dict[str, str]:
    """Returns the changed lines, as ``before`` and ``after``."""
    before, after = source.splitlines(), mutated.splitlines()
    while before[0] == after[0]:
        del before[0], after[0]
    while before[-1] == after[-1]:
        del before[-1], after[-1]
    return {key: " ".join(map(str.strip, lines)) for key, lines in (("before", before), ("after", after))}


if __name__ == "__main__":
    for mutant in mutants(Path(sys.argv[1]).read_text("utf-8")):
        print(json.dumps(mutant), flush=True)
