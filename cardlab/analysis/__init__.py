"""Analysis of what Card Lab has recorded: ``python -m cardlab.analysis`` lists the commands.

It reads exports and logs, and needs neither oTree nor a server. May import ``games``.
"""
