from starlette.routing import WebSocketRoute

websocket_routes: list[WebSocketRoute]
