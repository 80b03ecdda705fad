"""Hatchling's build hook: puts the files that a session needs, which are beside the library, into the wheel.

They lie in ``cardlab/shipped/`` there; ``cardlab/folders.py`` finds them in a checkout and in a wheel. The
translations are compiled, because an installed package may not be writable.
"""

import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SHIPPED = "cardlab/shipped"
FOLDERS = ("_static", "_templates", "deals", "treatments", *sorted(path.name for path in ROOT.glob("*_app")))
FILES = (
    "CITATION.cff",
    "settings.py",  # the configs that `cardlab add` copies
    *(f"docs/reference/{name}.md" for name in ("data-*", "file-formats", "rulings")),  # for archives
)
LEFT_OUT = (".pyc", ".mo")
# With these, the pages of other apps look like Card Lab's. In another project they keep their own look.
OF_THE_LOOK = ("Base_UserFacing", "Page", "WaitPage")
LOOK = tuple(ROOT / "_templates" / "otree" / f"{name}.html" for name in OF_THE_LOOK)


def shipped_files(scratch: Path) -> dict[Path, str]:
    """Returns the path in the wheel of each file; writes compiled translations into ``scratch``."""
    files = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*"))]
    files += [path for pattern in FILES for path in sorted(ROOT.glob(pattern))]
    kept = [path for path in files if path.is_file() and is_shipped(path)]
    shipped = {path: f"{SHIPPED}/{path.relative_to(ROOT).as_posix()}" for path in kept}
    catalogues = compile_catalogues(scratch)
    return shipped | {path: f"{SHIPPED}/_locale/{name}" for path, name in catalogues.items()}


def is_shipped(path: Path) -> bool:
    """Returns whether a file belongs into the wheel; the programs that make the deals do not."""
    if path.suffix in LEFT_OUT or path in LOOK:
        return False
    return path.suffix != ".py" or not path.is_relative_to(ROOT / "deals")


def compile_catalogues(folder: Path) -> dict[Path, str]:
    """Compiles the translations; returns the paths below ``_locale``."""
    sys.path.insert(0, str(ROOT))
    from cardlab.operations import languages

    files = {}
    for language, file in languages.catalogues().items():
        name = file.relative_to(ROOT / "_locale").as_posix()
        compiled = folder / f"{language}.mo"
        text = languages.translations(file.read_text("utf-8"), file.name)
        compiled.write_bytes(languages.compile_catalogue(text))
        files |= {file: name, compiled: name.removesuffix(".po") + ".mo"}
    return files


def lay_out(target: Path) -> Path:
    """Copies the files of the wheel into a folder, as tests need them without a build; returns it."""
    shutil.copytree(ROOT / "cardlab", target / "cardlab")  # with what Python has compiled
    with tempfile.TemporaryDirectory() as scratch:
        for path, name in shipped_files(Path(scratch)).items():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target / name)
    return target


try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # outside a build
    pass
else:

    class Hook(BuildHookInterface):
        """Adds the files to the wheel; an editable installation uses those of the checkout."""

        def initialize(self, version, build_data):
            if version == "standard":
                self.compiled = tempfile.TemporaryDirectory()
                files = shipped_files(Path(self.compiled.name))
                build_data["force_include"].update({str(path): name for path, name in files.items()})

        def finalize(self, version, build_data, artifact_path):
            if version == "standard":
                self.compiled.cleanup()
