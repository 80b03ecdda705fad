"""The secret keys of this installation, in the folder ``secrets/``."""

import os
import secrets
import tempfile
from pathlib import Path

from cardlab import seal
from cardlab.operations import project


def secrets_folder() -> Path:
    """Returns the folder ``secrets/``, which only its owner can open; creates it if needed."""
    folder = project.FOLDER / "secrets"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder.chmod(0o700)
    return folder


def secret(name: str) -> str:
    """Returns a secret key, which is generated on first use and stored in a private file."""
    file = secrets_folder() / name
    if not file.exists() or not file.read_text("utf-8").strip():
        descriptor, temporary = tempfile.mkstemp(dir=file.parent)  # mode 0600; renamed when it is complete
        with open(descriptor, "w", encoding="utf-8") as new:
            new.write(secrets.token_urlsafe(40))
        os.replace(temporary, file)
    file.chmod(0o600)
    return file.read_text("utf-8").strip()


def seal_key() -> str:
    """Returns the key that signs the seals of exports; the user's own key overrides the folder's."""
    return os.environ.get(seal.KEY_VARIABLE) or secret("seal_key")


def server_keys() -> dict[str, str]:
    """Returns environment variables with a server's keys; the user's own keys override the folder's."""
    names = {
        "OTREE_SECRET_KEY": "secret_key",
        "OTREE_REST_KEY": "rest_key",
        "CARD_LAB_LABEL_KEY": "label_key",
    }
    return {variable: os.environ.get(variable) or secret(name) for variable, name in names.items()}
