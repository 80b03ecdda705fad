"""Bundles ES modules into one script and styles into one style sheet: text in, text out.

Without bundles a browser would request thirty files, one after another. The supported syntax is
``import { a, b as c } from "./x.js"``, ``import * as x from "./x.js"``, ``import "./x.js"``, and ``export``
before ``const``, ``function`` or ``class``. Other syntax raises :class:`UnsupportedSyntax`, and the files are
sent one by one.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

_IMPORT = re.compile(r'^import\s+(?:(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+)?"(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?(?:const|function\*?|class)\s+(\w+))", re.MULTILINE)
_UNSUPPORTED = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_URL = re.compile(r"""url\((["']?)(?!data:|/|#|\w+:)([^"')]+)\1\)""")


class UnsupportedSyntax(Exception):
    """Raised for unsupported syntax; ``str(error)`` says where."""


def bundle_modules(entries: Sequence[str], read: Callable[[str], str], address: Callable[[str], str]) -> str:
    """Returns one module that runs the entries in order, and each imported module once.

    Args:
        entries: paths of modules. If one fails, the others still run.
        read: returns the text of the module at a path.
        address: returns the address of a path.

    Raises:
        UnsupportedSyntax: a module cannot be bundled.
    """
    names: dict[str, str] = {}
    parts: list[str] = []
    open_modules: list[str] = []

    def name_of(path: str) -> str:
        if path in open_modules:
            raise UnsupportedSyntax(f"{path} imports itself through {open_modules[-1]}.")
        if path not in names:
            open_modules.append(path)
            source, exported = _body(path, read(path), address(path), name_of)
            open_modules.pop()
            names[path] = f"$module{len(names)}"
            body = f"(() => {{\n{source}\nreturn {{ {', '.join(exported)} }};\n}})()"
            if path in entries:
                parts.append(
                    f"let {names[path]} = {{}};\n"
                    f"try {{ {names[path]} = {body}; }} catch (error) {{ reportError(error); }}\n"
                )
            else:
                parts.append(f"const {names[path]} = {body};\n")
        return names[path]

    for entry in entries:
        name_of(entry)
    return "".join(parts)


def _body(path: str, source: str, address: str, name_of: Callable[[str], str]) -> tuple[str, list[str]]:
    """Returns a module as the body of a function, and the names that it exports."""

    def as_constant(match: re.Match[str]) -> str:
        namespace, names, relative = match.groups()
        module = name_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), relative)))
        if namespace:
            return f"const {namespace} = {module};"
        return f"const {{{names.replace(' as ', ': ')}}} = {module};" if names else ""

    exported: list[str] = []

    def note_export(match: re.Match[str]) -> str:
        exported.append(match[2])
        return match[1]

    source = _EXPORT.sub(note_export, _IMPORT.sub(as_constant, source))
    if unsupported := _UNSUPPORTED.search(source):
        raise UnsupportedSyntax(f"{path}: {unsupported[0]}")
    return source.replace("import.meta.url", f'(location.origin + "{address}")'), exported


def bundle_styles(paths: Sequence[str], read: Callable[[str], str], address: Callable[[str], str]) -> str:
    """Returns the styles concatenated, with absolute addresses."""

    def absolute(folder: str) -> Callable[[re.Match[str]], str]:
        return lambda match: f'url("{address(posixpath.normpath(posixpath.join(folder, match[2])))}")'

    return "\n".join(_URL.sub(absolute(posixpath.dirname(path)), read(path)) for path in paths)
