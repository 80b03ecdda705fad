"""Tests the cause that is reported for pip's error output (pip 23 to 26)."""

import pytest

from cardlab.operations.pip_errors import explain

RETRY = "WARNING: Retrying (Retry(total={left}, connect=None, read=None, redirect=None, status=None)) after connection broken by '{why}': /simple/segno/\n"  # noqa: E501
NOTHING = """ERROR: Could not find a version that satisfies the requirement segno==1.6.6 (from versions: none)
ERROR: No matching distribution found for segno==1.6.6
"""
NO_NAME = (
    "NameResolutionError(\"HTTPSConnection(host='pypi.example', port=443): Failed to resolve 'pypi.example' "
    '([Errno -2] Name or service not known)")'
)
OLD_NO_NAME = (
    "NewConnectionError('<pip._vendor.urllib3.connection.HTTPSConnection object at 0x7f>: Failed to "
    "establish a new connection: [Errno 11001] getaddrinfo failed')"
)
REFUSED = (
    "NewConnectionError(\"HTTPSConnection(host='127.0.0.1', port=9): Failed to establish a new connection: "
    '[Errno 111] Connection refused")'
)
TIMEOUT = (
    "ReadTimeoutError(\"HTTPConnectionPool(host='pypi.example', port=443): Read timed out. "
    '(read timeout=15.0)")'
)
PROXY = "ProxyError('Cannot connect to proxy.', NewConnectionError('<pip._vendor.urllib3 …>: Failed'))"
CERTIFICATE = (
    "SSLError(SSLCertVerificationError(1, '[SSL: CERTIFICATE_VERIFY_FAILED] certificate verify failed: "
    "self-signed certificate (_ssl.c:1006)'))"
)
CUT_OFF = """error: incomplete-download

× Download failed after 6 attempts because not enough bytes were received (1000 bytes/3.0 MB)
╰─> URL: http://127.0.0.1:18080/cut/f/segno-1.6.6-py3-none-any.whl
"""
HASH = """ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM THE REQUIREMENTS FILE. If you have updated
    segno==1.6.6 from http://127.0.0.1/f/segno-1.6.6-py3-none-any.whl#sha256=0000:
        Expected sha256 0000
"""
HALF_A_WHEEL = "ERROR: Wheel 'segno' located at segno-1.6.6-py3-none-any.whl is invalid.\n"
OS_ERROR = "ERROR: Could not install packages due to an OSError: "
DISK = OS_ERROR + "[Errno 28] No space left on device\n"
WINDOWS_DISK = OS_ERROR + "[WinError 112] There is not enough space on the disk\n"
DENIED = OS_ERROR + "[Errno 13] Permission denied: '/lab/.venv/lib'\nConsider using the `--user` option\n"
WINDOWS_DENIED = OS_ERROR + "[WinError 5] Access is denied: 'C:\\\\lab\\\\numpy.pyd'\n"
NO_WHEEL = """ERROR: Ignored the following versions that require a different python version: 2.3.5 Requires-Python >=3.11
ERROR: Could not find a version that satisfies the requirement numpy==2.2.6 (from versions: 2.3.2, 2.4.6)
ERROR: No matching distribution found for numpy==2.2.6
"""  # noqa: E501
OTHER_PYTHON = """ERROR: Ignored the following versions that require a different python version: 2.2.6 Requires-Python >=3.12
ERROR: Could not find a version that satisfies the requirement numpy==2.2.6 (from versions: 2.2.5)
ERROR: No matching distribution found for numpy==2.2.6
"""  # noqa: E501
NOT_BUILT = """  error: subprocess-exited-with-error

  × Preparing metadata (pyproject.toml) did not run successfully.
  │ exit code: 1
  ╰─> [2 lines of output]
      oTree supports Python 3.10 to 3.14
      [end of output]

  note: This error originates from a subprocess, and is likely not a problem with pip.
error: metadata-generation-failed

× Encountered error while generating package metadata.
╰─> otree
"""
NO_WHEEL_BUILT = (
    "ERROR: Failed to build installable wheels for some pyproject.toml based projects (markupsafe)\n"
)
CONFLICT = """ERROR: Cannot install needs==1.0 and segno==1.6.2 because these package versions have conflicting dependencies.
ERROR: ResolutionImpossible: for help visit https://pip.pypa.io/en/latest/topics/dependency-resolution/
"""  # noqa: E501

OFFLINE = "cannot be reached"
CAUSES = {
    "no name": (RETRY.format(left=0, why=NO_NAME) + NOTHING, OFFLINE),
    "no name, older pip on Windows": (RETRY.format(left=0, why=OLD_NO_NAME) + NOTHING, OFFLINE),
    "refused": (RETRY.format(left=0, why=REFUSED) + NOTHING, OFFLINE),
    "timeout": (RETRY.format(left=0, why=TIMEOUT) + NOTHING, OFFLINE),
    "cut off": (CUT_OFF, OFFLINE),
    "proxy": (RETRY.format(left=0, why=PROXY) + NOTHING, "cannot use the proxy"),
    "certificate": (RETRY.format(left=0, why=CERTIFICATE) + NOTHING, "Check the clock"),
    "checksum": (HASH, "incomplete or was changed"),
    "half a wheel": (HALF_A_WHEEL, "incomplete or was changed"),
    "disk": (DISK, "The disk is full"),
    "disk on Windows": (WINDOWS_DISK, "The disk is full"),
    "permission": (DENIED, "cannot write to /lab/.venv/lib."),
    "permission on Windows": (WINDOWS_DENIED, "cannot write to C:\\\\lab\\\\numpy.pyd."),
    "no wheel": (NO_WHEEL, "no wheel of numpy==2.2.6 for Python 3.15 on linux-x86_64"),
    "another Python": (OTHER_PYTHON, "numpy==2.2.6 does not support Python 3.15"),
    "nothing offered": (NOTHING, "has no segno for Python 3.15"),
    "not built": (NOT_BUILT, "otree could not be built for Python 3.15"),
    "no wheel built": (NO_WHEEL_BUILT, "markupsafe could not be built"),
    "conflict": (CONFLICT, "contradict each other"),
    "unknown": ("WARNING: a\nERROR: the moon is full\n", "pip failed: ERROR: the moon is full"),
    "silence": ("", "pip stopped without giving a reason"),
}


@pytest.mark.parametrize("cause", CAUSES)
def test_a_failed_installation_is_explained_by_its_cause(cause):
    errors, sentence = CAUSES[cause]
    assert sentence in explain(errors, "3.15", "linux-x86_64")


def test_recovered_connection_is_not_the_cause():
    errors = RETRY.format(left=4, why=OLD_NO_NAME) + NO_WHEEL
    assert "no wheel of numpy==2.2.6" in explain(errors, "3.15", "linux-x86_64")


def test_only_network_errors_mention_the_connection():
    offline = {name for name, (errors, _) in CAUSES.items() if "online" in explain(errors, "3.14", "any")}
    assert offline == {"no name", "no name, older pip on Windows", "refused", "timeout", "cut off"}
