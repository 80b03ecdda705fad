@declares_fields
def stopping(name: str = "", display_name: str = "", doc: str = "", **fields) -> dict:
    """A session of Stop in Time."""
    return {
        "name": f"stopping_{name}",
        "display_name": f"Stop in Time: {display_name}",
        "doc": doc,
        "app_sequence": ["stopping_app"],
        "num_demo_participants": 2,
        "hands": 3,
        "deal_file": "seed",  # or a file in deals/stopping/
        "show_left": True,  # show how many cards are still to come
        **fields,
    }


SESSION_CONFIGS.append(stopping("standard", "standard", "Three rows of eight cards."))
