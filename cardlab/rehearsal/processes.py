"""What a server needs: CPU time and memory of a process and all that it has started, where Linux tells."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class Load(NamedTuple):
    """CPU seconds so far and bytes of memory now, of a process and those below it."""

    cpu: float
    memory: int


def load(pid: int) -> Load | None:
    """What they need; None where the system does not tell."""
    if not (_PROC / str(pid) / "stat").exists():
        return None
    family, cpu, memory = _family(pid), 0.0, 0
    for one in family:
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = _fields(one)
            # Its own, and of those that it has started and that have ended.
            cpu += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            memory += _memory(one)
    return Load(cpu, memory)


def memory_of(pid: int, module: str) -> int:
    """Bytes of memory now of those processes below one that run a Python module."""
    memory = 0
    for one in _family(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if module.encode() in (_PROC / str(one) / "cmdline").read_bytes().split(b"\0"):
                memory += _memory(one)
    return memory


def _memory(pid: int) -> int:
    return int((_PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _fields(pid: int) -> list[str]:
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()  # the name may hold spaces


def _family(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                children.setdefault(int(_fields(int(entry.name))[1]), []).append(int(entry.name))
    family = [pid]
    for one in family:
        family += children.get(one, [])
    return family
