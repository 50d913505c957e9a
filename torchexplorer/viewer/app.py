"""The web application: the page, its files, and what it asks for.

In: a Library. Out: an ASGI application. Owns no state. All work is done in the server's one thread: it is short, and
one person looks. Rows and files carry an ETag, so that nothing unchanged is sent again.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from torchexplorer.needs import need
from torchexplorer.render import chart_spec
from torchexplorer.viewer.audience import Audience
from torchexplorer.viewer.library import Library
from torchexplorer.viewer.safety import App, OnlyThisMachine
from torchexplorer.viewer.vega_bundle import vega_script

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

PURPOSE = "The standalone page"

LOOK_EVERY = 0.3
"""Seconds between looks at the version of a run that a page is open for."""

ALIVE_EVERY = 10.0
"""Seconds after which a page hears from us even where nothing is new."""

FILES = {
    "/": ("page.html", "text/html"),
    "/page.css": ("page.css", "text/css"),
    "/page.js": ("page.js", "text/javascript"),
    "/chart.js": ("chart.js", "text/javascript"),
    "/state.js": ("state.js", "text/javascript"),
    "/theme.js": ("theme.js", "text/javascript"),
}


def make_app(library: Library, audience: Audience | None = None) -> App:
    """The application, behind its checks of who asks."""
    Starlette = need("starlette.applications", PURPOSE).Starlette
    Route = need("starlette.routing", PURPOSE).Route
    desk = Desk(library, audience or Audience())
    routes = [Route(path, _answering(_file(*file))) for path, file in FILES.items()]
    routes += [Route("/vega.js", _answering(_vega)), Route("/api/spec", _answering(_spec))]
    routes += [Route("/api/runs", desk.runs), Route("/api/rows", desk.rows), Route("/api/events", desk.events)]
    return OnlyThisMachine(Starlette(routes=routes))


class Desk:
    """What the page asks about runs."""

    def __init__(self, library: Library, audience: Audience) -> None:
        self._library, self._audience = library, audience

    async def runs(self, request: Request) -> Response:
        """All runs, the newest first."""
        return _reply(request, json.dumps(self._library.runs()), "application/json")

    async def rows(self, request: Request) -> Response:
        """The rows of `?run=`; 404 with a sentence where there is no such run."""
        name = request.query_params.get("run", "")
        try:
            found = self._library.rows(name)
        except Exception as error:
            return _fault(500, f"Drawing the run {name!r} failed. Seen: {type(error).__name__}: {error}")
        if found is None:
            return _fault(404, f"There is no run {name!r} in this folder.")
        version, text = found
        self._audience.fetched(name, version)
        return _reply(request, text, "application/json")

    async def events(self, request: Request) -> Response:
        """Server-sent events: the state of `?run=` and the names of all runs, whenever they change."""
        stream = self._changes(request.query_params.get("run", ""))
        headers = {"Cache-Control": "no-store"}
        streaming = need("starlette.responses", PURPOSE).StreamingResponse
        response: Response = streaming(stream, media_type="text/event-stream", headers=headers)
        return response

    async def _changes(self, name: str) -> AsyncIterator[str]:
        said: tuple[Any, ...] = ()
        quiet = 0.0
        with self._audience.looking(name):
            while True:
                version = self._library.version(name)
                self._audience.told(name, -1 if version is None else version)
                news = version, list(self._library.listing())
                quiet += LOOK_EVERY
                if news != said or quiet >= ALIVE_EVERY:
                    said, quiet = news, 0.0
                    yield f"data: {json.dumps({'state': self._library.state(name), 'runs': news[1]})}\n\n"
                await asyncio.sleep(LOOK_EVERY)


def _answering(make: Callable[[], tuple[bytes, str]]) -> Callable[[Request], Any]:
    async def answer(request: Request) -> Response:
        try:
            content, kind = make()
        except Exception as error:
            return _fault(500, str(error))
        return _reply(request, content, kind)

    return answer


def _file(name: str, kind: str) -> Callable[[], tuple[bytes, str]]:
    return lambda: (resources.files("torchexplorer.viewer").joinpath(name).read_bytes(), kind)


@cache
def _vega() -> tuple[bytes, str]:
    return vega_script(), "text/javascript"


@cache
def _spec() -> tuple[bytes, str]:
    return json.dumps(chart_spec(), separators=(",", ":")).encode(), "application/json"


def _reply(request: Request, content: str | bytes, kind: str) -> Response:
    """The content, or "not modified" where the page has it already."""
    make = need("starlette.responses", PURPOSE).Response
    body = content.encode("utf-8") if isinstance(content, str) else content
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    known = request.headers.get("if-none-match") == tag
    response: Response = (
        make(status_code=304, headers=headers) if known else make(body, media_type=kind, headers=headers)
    )
    return response


def _fault(status: int, text: str) -> Response:
    make = need("starlette.responses", PURPOSE).JSONResponse
    response: Response = make({"error": text}, status_code=status, headers={"Cache-Control": "no-store"})
    return response
