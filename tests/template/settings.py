from cardlab.games.stopping.session_config import stopping

SESSION_CONFIGS.append(stopping("standard", "standard", "Three rows of eight cards."))
