"""Tests the two modes of compiled functions: both must return the same."""

import pytest
from compiled_modes import import_mode
from hypothesis import given
from hypothesis import strategies as st

MODES = [pytest.param(True, id="compiled"), pytest.param(False, id="plain")]


@pytest.fixture(scope="module", params=MODES)
def compiler(request):
    return import_mode(request.param, "cardlab.games.compiled")[0]


def test_bits_are_counted_and_found(compiler):
    @given(st.integers(1, 2**62))
    def check(bits):
        assert compiler.count_bits(bits) == f"{bits:b}".count("1")
        assert 2 ** compiler.lowest_bit(bits) == bits & -bits
        assert compiler.highest_bit(bits) == bits.bit_length() - 1

    check()
    assert compiler.count_bits(0) == 0


def test_arrays_hold_64_bits(compiler):
    numbers = compiler.integers(3)
    assert [*numbers] == [0, 0, 0]
    numbers[1] = 2**63 - 1
    assert [*compiler.integers(map(int, numbers))] == [0, 2**63 - 1, 0]


def test_compiled_and_plain_loops_agree(compiler):
    @compiler.compiled
    def fill(numbers, first):
        for at in range(len(numbers)):
            numbers[at] = first + at
        return numbers[-1]

    numbers = compiler.integers(4)
    assert int(fill(numbers, 7)) == 10
    assert [*numbers] == [7, 8, 9, 10]


def test_environment_switches_numba_off(compiler, monkeypatch):
    (plain,) = import_mode(False, "cardlab.games.compiled")
    assert plain.COMPILED is False
    assert plain.compiled(len) is len
