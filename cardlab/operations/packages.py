"""``lab.py install`` and ``lab.py sbom``: the packages beyond the server's, and the list of all of them."""

import argparse
import json
import subprocess

from cardlab import __version__
from cardlab.operations import environment, project
from cardlab.operations.project import COMMAND
from cardlab.operations.terminal import Commands, Refusal, say

EXTRAS = {
    "engine": "compiled searches for the computer's moves",
    "analysis": "compiled searches, and files of Parquet, SPSS and Stata for cardlab.analysis",
    "bots": "otree test",
    "dask": "cardlab.analysis on a cluster",
    "docs": "the documentation",
    "validators": "the validators of the standards of an archive",
    "mutation": "mutation testing",
    "dev": "the tests",
}


def add_commands(commands: Commands) -> None:
    """Adds ``lab.py install`` and ``lab.py sbom``."""
    meanings = "; ".join(f"{name}: {meaning}" for name, meaning in EXTRAS.items())
    command = commands.add_parser("install", help="install optional packages")
    command.add_argument("extra", choices=EXTRAS, metavar="EXTRA", help=meanings)
    command.set_defaults(do=install_extra)
    command = commands.add_parser(
        "sbom", help="write a bill of materials (CycloneDX) of the server's packages"
    )
    command.add_argument(
        "--out", metavar="FILE", default="card-lab.cdx.json", help="default card-lab.cdx.json"
    )
    command.set_defaults(do=write_bill)


def install_extra(options: argparse.Namespace) -> int:
    """Installs an extra and says where."""
    environment.install(options.extra)
    say(f"The packages for {EXTRAS[options.extra]} are in {environment.environment_of(options.extra)}.")
    return 0


def write_bill(options: argparse.Namespace) -> int:
    """Writes names, versions and hashes of the server's packages, as uv.lock has them."""
    environment.install()
    uv = environment.find_uv(".venv")
    if uv is None:
        raise Refusal(f"The bill of materials needs uv. Install uv, then run again: {COMMAND} sbom")
    export = [uv, "export", "--quiet", "--frozen", "--extra", "server", "--format", "cyclonedx1.5"]
    command = [*export, "--python", str(environment.venv_program("python")), "--output-file", options.out]
    result = subprocess.run(command, cwd=project.FOLDER, capture_output=True, text=True)
    if result.returncode:
        raise Refusal(f"The bill of materials could not be written. uv failed: {result.stderr.strip()}")
    file = project.FOLDER / options.out
    bill = json.loads(file.read_text("utf-8"))  # uv does not know the dynamic version
    bill["metadata"]["component"]["version"] = __version__
    file.write_text(json.dumps(bill, indent=2) + "\n", "utf-8")
    say(f"The bill of materials of the server's packages is in {options.out}.")
    return 0
