from cardlab.games.stopping.dealing import stopping

SESSION_CONFIGS.append(stopping("standard", "standard", "Three rows of eight cards."))
