"""The registry of what Card Lab replaces in oTree and other libraries (``docs/reference/otree-patches.md``).

:mod:`.patches` lists all patches, :mod:`.registry` checks and applies them; the other modules declare those
that belong to no other package.
"""
