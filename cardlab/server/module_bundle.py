"""Several modules of scripts as one, several styles as one. Text in, text out; nothing is known of oTree.

The scripts of Card Lab are ES modules, a file each, and there is no build step. A browser that loads them so
asks for thirty files, one after the other has named it. What is understood is what they are written in:
``import { a, b as c } from "./x.js"``, ``import * as x from "./x.js"``, ``import "./x.js"``, and ``export``
before a ``const``, ``function`` or ``class``. Anything else is :class:`NotUnderstood`: the files stay apart.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Sequence

_IMPORT = re.compile(r'^import\s+(?:(?:\*\s+as\s+(\w+)|\{([^}]*)\})\s+from\s+)?"(\.[^"]+)";$', re.MULTILINE)
_EXPORT = re.compile(r"^export\s+((?:async\s+)?(?:const|function\*?|class)\s+(\w+))", re.MULTILINE)
_LEFT = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)
_URL = re.compile(r"""url\((["']?)(?!data:|/|#|\w+:)([^"')]+)\1\)""")


class NotUnderstood(Exception):
    """A module is written as none of ours; ``str(error)`` says where."""


def of_modules(entries: Sequence[str], read: Callable[[str], str], address: Callable[[str], str]) -> str:
    """One module that does what the entries do, in their order, each module once.

    Modules are named by their paths; ``read`` gives the text of one, ``address`` what a browser calls it. An
    entry that fails keeps no other from running.
    """
    names: dict[str, str] = {}
    written: list[str] = []
    under_way: list[str] = []

    def name_of(path: str) -> str:
        if path in under_way:
            raise NotUnderstood(f"{path} imports itself by way of {under_way[-1]}.")
        if path not in names:
            under_way.append(path)
            source, exported = _body(path, read(path), address(path), name_of)
            under_way.pop()
            names[path] = f"$module{len(names)}"
            body = f"(() => {{\n{source}\nreturn {{ {', '.join(exported)} }};\n}})()"
            if path in entries:
                written.append(
                    f"let {names[path]} = {{}};\n"
                    f"try {{ {names[path]} = {body}; }} catch (error) {{ reportError(error); }}\n"
                )
            else:
                written.append(f"const {names[path]} = {body};\n")
        return names[path]

    for entry in entries:
        name_of(entry)
    return "".join(written)


def _body(path: str, source: str, address: str, name_of: Callable[[str], str]) -> tuple[str, list[str]]:
    """A module as the body of a function, and the names that it returns."""

    def bound(found: re.Match[str]) -> str:
        everything, some, relative = found.groups()
        module = name_of(posixpath.normpath(posixpath.join(posixpath.dirname(path), relative)))
        if everything:
            return f"const {everything} = {module};"
        return f"const {{{some.replace(' as ', ': ')}}} = {module};" if some else ""

    exported: list[str] = []

    def kept(found: re.Match[str]) -> str:
        exported.append(found[2])
        return found[1]

    source = _EXPORT.sub(kept, _IMPORT.sub(bound, source))
    if left := _LEFT.search(source):
        raise NotUnderstood(f"{path}: {left[0]}")
    return source.replace("import.meta.url", f'(location.origin + "{address}")'), exported


def of_styles(paths: Sequence[str], read: Callable[[str], str], address: Callable[[str], str]) -> str:
    """The styles one after the other, what they name addressed as from anywhere."""

    def absolute(folder: str) -> Callable[[re.Match[str]], str]:
        return lambda found: f'url("{address(posixpath.normpath(posixpath.join(folder, found[2])))}")'

    return "\n".join(_URL.sub(absolute(posixpath.dirname(path)), read(path)) for path in paths)
