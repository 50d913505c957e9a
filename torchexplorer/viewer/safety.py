"""Who may ask, and what the page may do: a layer around the app.

In: requests. Out: 403 for a Host that is not this machine (a web page elsewhere could otherwise reach the server by a
name that it points here), 405 for anything but reading, and headers that forbid the page to load from elsewhere.
Owns no state.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

LOCAL = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:[0-9]+)?", re.IGNORECASE)

# Vega compiles the chart's expressions to functions, which counts as eval; its interpreter is several times slower.
POLICY = (
    "default-src 'none'; script-src 'self' 'unsafe-eval'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "X-Frame-Options": "DENY",
}


class OnlyThisMachine:
    """The app behind its checks. Seen by no one else: it has no cookies and answers no other origin."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """One request, as ASGI gives it."""
        if scope["type"] != "http":
            return
        host = dict(scope["headers"]).get(b"host", b"").decode("latin-1")
        if not is_local(host):
            text = f"This page answers to 127.0.0.1 and localhost only. Seen: Host {host!r}. Use http://127.0.0.1:PORT."
            await _refuse(send, 403, text)
        elif scope["method"] not in ("GET", "HEAD"):
            await _refuse(send, 405, "This server only shows. Use GET.")
        else:
            await self._app(scope, receive, _guarded(send))


def is_local(host: str) -> bool:
    """Whether a Host header names this machine, with any port or none."""
    return LOCAL.fullmatch(host) is not None


def _guarded(send: Send) -> Send:
    async def add_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            extra = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", ()), *extra]
        await send(message)

    return add_headers


async def _refuse(send: Send, status: int, text: str) -> None:
    send = _guarded(send)
    kind = [(b"content-type", b"text/plain; charset=utf-8")]
    await send({"type": "http.response.start", "status": status, "headers": kind})
    await send({"type": "http.response.body", "body": text.encode("utf-8", "replace")})
