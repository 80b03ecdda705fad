"""Measures CPU time and memory of a server with all its processes, on Linux."""

import contextlib
import os
from pathlib import Path
from typing import NamedTuple

_PROC = Path("/proc")


class ResourceUsage(NamedTuple):
    """CPU seconds so far and bytes of memory now, of a process and its descendants."""

    cpu: float
    memory: int


def resource_usage(pid: int) -> ResourceUsage | None:
    """Returns the usage of a process with its descendants; None on other systems."""
    if not (_PROC / str(pid) / "stat").exists():
        return None
    cpu, memory = 0.0, 0
    for process_id in _descendants(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            fields = _fields(process_id)
            # The CPU time of the process, and of its children that have ended.
            cpu += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
            memory += _memory(process_id)
    return ResourceUsage(cpu, memory)


def memory_of(pid: int, module: str) -> int:
    """Returns the bytes of memory of the descendants of a process that run a Python module."""
    memory = 0
    for process_id in _descendants(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            if module.encode() in (_PROC / str(process_id) / "cmdline").read_bytes().split(b"\0"):
                memory += _memory(process_id)
    return memory


class ProcessUsage(NamedTuple):
    """The resources of one process now: bytes of memory, threads, open files and open sockets.

    ``program`` is the Python module that it runs, the code after ``-c``, or empty.
    """

    program: str
    memory: int
    threads: int
    files: int
    sockets: int


def process_usages(pid: int) -> list[ProcessUsage]:
    """Returns the resources of a process and of each descendant, except processes that are ending."""
    usages = []
    for process_id in _descendants(pid):
        with contextlib.suppress(OSError, ValueError, IndexError):
            usages.append(_process_usage(process_id))
    return usages


def _process_usage(pid: int) -> ProcessUsage:
    arguments = (_PROC / str(pid) / "cmdline").read_text().split("\0")
    program = next((argument for flag, argument in zip(arguments, arguments[1:]) if flag in ("-m", "-c")), "")
    handles = []
    for handle in (_PROC / str(pid) / "fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed in the meantime
            handles.append(os.readlink(handle))
    sockets = sum(target.startswith("socket:") for target in handles)
    threads = int(_fields(pid)[17])
    return ProcessUsage(program, _memory(pid), threads, len(handles) - sockets, sockets)


def _memory(pid: int) -> int:
    return int((_PROC / str(pid) / "statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _fields(pid: int) -> list[str]:
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()  # the name may hold spaces


def _descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in _PROC.iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError, IndexError, ValueError):
                children.setdefault(int(_fields(int(entry.name))[1]), []).append(int(entry.name))
    pids = [pid]
    for process_id in pids:
        pids += children.get(process_id, [])
    return pids
