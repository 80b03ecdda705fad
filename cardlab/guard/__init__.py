"""Protection of the server: rate limits, logins, hosts, origins, cookies, headers and bodies.

May import ``core`` and ``games``.
"""
