"""Installs Card Lab in oTree. oTree imports this file in every command, before it imports the apps."""

from cardlab.server.app import install

install()
