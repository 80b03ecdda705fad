from starlette.applications import Starlette
from starlette.routing import Router

class OTreeStarlette(Starlette):
    router: Router

app: OTreeStarlette
