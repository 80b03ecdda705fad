"""The exact packages in ``requirements.txt`` and ``uv.lock``, read with the standard library alone."""

import importlib.metadata
import re
from collections.abc import Mapping
from dataclasses import dataclass

from cardlab.operations import project
from cardlab.operations.terminal import Refusal

REQUIREMENTS, LOCK = "requirements.txt", "uv.lock"


@dataclass(frozen=True)
class Package:
    """A package with its version, and the hashes of its files, such as ``sha256:…``."""

    name: str
    version: str
    hashes: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"

    @property
    def requirement(self) -> str:
        """The package as a line for ``pip install --require-hashes -r``."""
        return " ".join([str(self), *(f"--hash={digest}" for digest in self.hashes)])


def required_packages(python: str) -> list[Package]:
    """Returns the packages of requirements.txt for a Python such as ``3.11``, in the order of the file."""
    text = (project.own_files() / REQUIREMENTS).read_text("utf-8").replace("\\\n", " ")
    lines = re.findall(
        r"^([\w.-]+)==([^\s;]+)[ \t]*(?:;([^\n]*?))?((?:\s--hash=\S+|[ \t])*)$", text, re.MULTILINE
    )
    return [
        Package(name, version, tuple(re.findall(r"--hash=(\S+)", hashes)))
        for name, version, marker, hashes in lines
        if marker_holds(marker.strip(), python)
    ]


def marker_holds(marker: str, python: str) -> bool:
    """Returns whether an environment marker, ``python_full_version < '3.11'`` or with ``>=``, holds.

    Raises Refusal for any other marker.
    """
    if not marker:
        return True
    match = re.fullmatch(r"python_full_version (<|>=) '3\.(\d+)'", marker)
    if not match:
        raise Refusal(
            f"{REQUIREMENTS} has the marker {marker}. Only markers such as python_full_version < '3.11' "
            "are supported."
        )
    older = int(python.partition(".")[2]) < int(match[2])
    return older if match[1] == "<" else not older


def missing_requirements(extra: str, python: str, installed: Mapping[str, str]) -> list[str]:
    """Returns the packages of an extra that are not ``installed`` (version by name), as ``name==version``.

    Reads the metadata of the installed package card-lab; none are missing if it has no metadata.
    """
    try:
        lines = importlib.metadata.requires("card-lab") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    pattern = rf"([\w.-]+)==([^\s;]+); (?:\((.*)\) and )?extra == '{extra}'"
    required = [match.groups() for line in lines if (match := re.fullmatch(pattern, line))]
    return [
        f"{name}=={version}"
        for name, version, marker in required
        if marker_holds((marker or "").replace("python_version", "python_full_version"), python)
        and installed.get(normalized(name)) != version
    ]


def locked_package(name: str) -> Package:
    """Returns a package of uv.lock that has one version for every Python."""
    text = (project.own_files() / LOCK).read_text("utf-8")
    [block] = re.findall(
        rf'^name = "{re.escape(name)}"\n(.*?)(?:^\[\[package\]\]|\Z)', text, re.MULTILINE | re.DOTALL
    )
    [version] = re.findall(r'^version = "(.*)"$', block, re.MULTILINE)
    return Package(name, version, tuple(re.findall(r'hash = "(sha256:\w+)"', block)))


def normalized(name: str) -> str:
    """Returns a package's normalized name (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
