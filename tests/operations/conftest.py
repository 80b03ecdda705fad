"""Provides a project folder for each test."""

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Provides an empty project folder that lab.py works on."""
    (tmp_path / "requirements.txt").write_text("otree==6.0.15 --hash=sha256:00\n")
    (tmp_path / "uv.lock").write_text(
        '[[package]]\nname = "uv"\nversion = "0.1"\nwheels = [{ hash = "sha256:11" }]\n'
    )
    monkeypatch.setattr("cardlab.operations.project.FOLDER", tmp_path)
    return tmp_path
