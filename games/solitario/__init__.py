"""Solitario: Klondike with Italian cards (seed ``solitario``)."""
