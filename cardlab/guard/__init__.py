"""Protection against what one PC could do to the whole room: rate limits, logins, hosts, cookies, bodies.

May import ``core`` and ``games``.
"""
