"""Compiles the inner loops of searches with numba, if it is installed.

A function with the decorator ``compiled`` is written once, over integers and flat arrays, in the subset of
Python that numba compiles. Without numba, or with ``CARD_LAB_COMPILED=no``, the same source runs as plain
Python and returns the same values, only slower. ``tests/compiled_modes.py`` imports a module in both modes.

Such a function follows these rules, so that both modes agree:

- Integers stay between -2**63 and 2**63 - 1. Compiled ones wrap around, plain ones do not.
- Arrays are made by ``integers`` outside the function and passed to it. Nothing is allocated inside.
- Global names are constants or other compiled functions, because numba freezes them.
- No exceptions, closures, strings or dictionaries. A result is an integer, a tuple of integers or an array.
"""

import importlib.util
import os
from array import array
from collections.abc import Callable, Iterable, MutableSequence
from typing import Any, TypeVar

COMPILED = os.environ.get("CARD_LAB_COMPILED") != "no" and importlib.util.find_spec("numba") is not None

Integers = MutableSequence[int]  # 64-bit: a NumPy array if compiled, else an ``array.array``
Function = TypeVar("Function", bound=Callable[..., Any])


def _intrinsic(name: str, *arguments: bool) -> Callable[[int], int]:
    """Returns a processor instruction by its name in LLVM's builder."""
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def instruction(_context: Any, _integer: Any) -> Any:
        def build(_target: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return getattr(builder, name)(values[0], *(cgutils.true_bit for _argument in arguments))

        return types.int64(types.int64), build

    result: Callable[[int], int] = instruction
    return result


def _pointer_intrinsic() -> Callable[[Integers], Integers]:
    """Returns the function that gives the address of an array."""
    from numba import types
    from numba.extending import intrinsic
    from numba.np.arrayobj import make_array

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def instruction(_context: Any, array: Any) -> Any:
        def build(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            return make_array(array)(context, builder, values[0]).data

        return types.CPointer(types.int64)(array), build

    result: Callable[[Integers], Integers] = instruction
    return result


def _prefetch_intrinsic() -> Callable[[Integers, int], None]:
    """Returns the function that makes the processor load a part of an array into its cache."""
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    @intrinsic  # type: ignore[untyped-decorator]  # numba has no types
    def instruction(_context: Any, pointer: Any, _index: Any) -> Any:
        def build(context: Any, builder: Any, _signature: Any, values: Any) -> Any:
            word = ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [values[0].type, word, word, word])
            load = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            builder.call(load, [builder.gep(values[0], [values[1]]), *(word(flag) for flag in (1, 3, 1))])
            return context.get_dummy_value()

        return types.void(pointer, types.int64), build

    result: Callable[[Integers, int], None] = instruction
    return result


if COMPILED:
    import numba
    import numpy

    # Compiled code is cached in __pycache__, so only the first process after a change waits for the compiler.
    # Nothing is allocated, so arrays need no reference counts, which would take a sixth of the time.
    _compile: Callable[[Any], Any] = numba.njit(cache=True, nogil=True, _nrt=False)
    _count = _intrinsic("ctpop")
    _trailing = _intrinsic("cttz", True)
    _leading = _intrinsic("ctlz", True)
    _load = _prefetch_intrinsic()
    _address = _pointer_intrinsic()

    def compiled(function: Function) -> Function:
        """Returns the function, compiled at its first call for the types of its arguments."""
        result: Function = _compile(function)
        return result

    def integers(values: Iterable[int] | int) -> Integers:
        """Returns an array of these integers, or of this number of zeros."""
        if isinstance(values, int):
            return numpy.zeros(values, numpy.int64)  # type: ignore[return-value]  # same use, another type
        return numpy.array([*values], numpy.int64)  # type: ignore[return-value]  # likewise

    @compiled
    def count_bits(bits: int) -> int:
        """Returns how many bits of a non-negative integer are set."""
        return _count(bits)

    @compiled
    def lowest_bit(bits: int) -> int:
        """Returns the number of the lowest set bit of a positive integer, counted from 0."""
        return _trailing(bits)

    @compiled
    def highest_bit(bits: int) -> int:
        """Returns the number of the highest set bit of a positive integer, counted from 0."""
        return 63 - _leading(bits)

    @compiled
    def pointer(array: Integers) -> Integers:
        """Returns a pointer to the array, which is faster but does not support negative indices."""
        return _address(array)

    @compiled
    def prefetch(array: Integers, index: int) -> None:
        """Loads this part of an array, made by ``pointer``, into the cache."""
        _load(array, index)

else:

    def compiled(function: Function) -> Function:
        """Returns the function itself."""
        return function

    def integers(values: Iterable[int] | int) -> Integers:
        """Returns an array of these integers, or of this number of zeros."""
        return array("q", bytes(8 * values) if isinstance(values, int) else values)

    def count_bits(bits: int) -> int:
        """Returns how many bits of a non-negative integer are set."""
        return bits.bit_count()

    def lowest_bit(bits: int) -> int:
        """Returns the number of the lowest set bit of a positive integer, counted from 0."""
        return (bits & -bits).bit_length() - 1

    def highest_bit(bits: int) -> int:
        """Returns the number of the highest set bit of a positive integer, counted from 0."""
        return bits.bit_length() - 1

    def pointer(array: Integers) -> Integers:
        """Returns the array itself."""
        return array

    def prefetch(array: Integers, index: int) -> None:
        """Does nothing."""
