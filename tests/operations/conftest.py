"""Provides a project folder for each test."""

from __future__ import annotations

import pytest


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Provides an empty project folder that lab.py works on."""
    (tmp_path / "requirements.txt").write_text("otree==6.0.15\n")
    (tmp_path / "constraints.txt").write_text("click==7.1.2\n")
    (tmp_path / "requirements-dev.txt").write_text("pytest==9.2.0\n")
    monkeypatch.setattr("cardlab.operations.project.FOLDER", tmp_path)
    return tmp_path
