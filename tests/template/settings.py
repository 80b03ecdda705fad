from cardlab.games.stopping.dealing import stopping  # noqa: E402 after the other configs

SESSION_CONFIGS.append(stopping("standard", "standard", "Three rows of eight cards."))
