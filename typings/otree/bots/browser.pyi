from .bot import Submission

class BotWorker:
    queued_post_data: dict[str, Submission]

browser_bot_worker: BotWorker
