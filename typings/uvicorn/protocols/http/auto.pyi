from uvicorn.protocols.http.h11_impl import H11Protocol as AutoHTTPProtocol

__all__ = ["AutoHTTPProtocol"]
