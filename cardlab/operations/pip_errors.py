"""Explains in a sentence or two why pip failed, from what it wrote to standard error."""

import re

# Regular expressions that find a cause, with its explanation; the first match counts. pip continues after a
# broken connection and then reports that it found no version, so the network comes before versions.
# Messages of pip 22 to 26.
CAUSES = (
    (
        r"No space left on device|Errno 28\b|WinError 112\b|not enough space on the disk",
        "The disk is full. Free about 1 GB of space, then try again.",
    ),
    (
        r"Errno 13\b|WinError 5\b|WinError 32\b|Permission denied|Read-only file system",
        "pip cannot write to {path}. Close every program that uses it, check that you own the "
        "folder, then try again.",
    ),
    (
        r"DO NOT MATCH THE HASHES|Wheel '.*' located at .* is invalid",
        "A downloaded package is incomplete or was changed during the download, so it was not "
        "installed. Try again, if possible on another network.",
    ),
    (
        r"ProxyError|Cannot connect to proxy|Tunnel connection failed|407 Proxy",
        "pip cannot use the proxy of this network. Check the proxy settings (https_proxy), then try again.",
    ),
    (
        r"CERTIFICATE_VERIFY_FAILED|confirming the ssl certificate|SSLError",
        "The secure connection to the package index failed. Check the clock of this computer, and whether a "
        "proxy or a virus scanner replaces certificates.",
    ),
    (
        r"Retry\(total=0|Max retries exceeded|Temporary failure in name resolution|getaddrinfo failed"
        r"|Name or service not known|Network is unreachable|Read timed out|ReadTimeoutError"
        r"|incomplete-download|IncompleteRead|NetworkConnectionError|ConnectionResetError",
        "The package index cannot be reached, or the connection was interrupted. Check that this "
        "computer is online and whether it needs a proxy, then try again.",
    ),
    (
        r"ResolutionImpossible|conflicting dependencies",
        "The versions in the requirements files contradict each other. Restore the files of Card Lab.",
    ),
)
BUILD_FAILED = (
    r"metadata-generation-failed|failed-wheel-build-for-install|Failed to build|Could not build wheels"
    r"|subprocess-exited-with-error"
)
FAILED_PACKAGE = r"(?:╰─>|-+>|projects \(|wheels for (?!some)) *([\w.-]+)[ ),]*$"


def explain(errors: str, python: str, system: str) -> str:
    """Returns the cause of a failed installation, and what to do about it.

    ``errors`` is pip's standard error, ``python`` a version such as ``3.11``, and ``system`` a name such as
    ``linux-x86_64``.
    """
    errors = re.sub(r"WARNING: Retrying \(Retry\(total=[1-9].*", "", errors)  # pip tried again after these
    for pattern, sentences in CAUSES:
        if re.search(pattern, errors):
            match = re.search(r"(?:denied|file system|another process): '([^'\n]+)'", errors)
            return sentences.format(path=match[1] if match else "a file")
    platform = f"Python {python} on {system}"
    if match := re.search(r"No matching distribution found for ([^\s;]+)", errors):
        name, _, version = match[1].partition("==")
        if re.search(rf"\b{re.escape(version)} Requires-Python", errors):
            return f"{match[1]} does not support Python {python}."
        if "(from versions: none)" in errors:
            return f"The package index has no {name} for {platform}. This network may block the index."
        return (
            f"The package index has no wheel of {match[1]} for {platform}. Use a 64-bit Python 3.10 to 3.14."
        )
    if re.search(BUILD_FAILED, errors):
        match = re.search(FAILED_PACKAGE, errors, re.MULTILINE)
        package = match[1] if match else "a package"
        return f"{package} could not be built for {platform}. For the reason, see pip's messages above."
    lines = [line.strip() for line in errors.splitlines() if re.match(r"\s*error:", line, re.IGNORECASE)]
    return f"pip failed: {lines[-1]}" if lines else "pip stopped without giving a reason."
