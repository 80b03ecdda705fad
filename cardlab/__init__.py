"""Card Lab: card games as laboratory experiments, played in a browser and recorded card by card.

The library behind the oTree apps. Each package says what it holds and which packages it may import;
``tests/test_architecture.py`` enforces it.
"""

__version__ = "0.11.0"
