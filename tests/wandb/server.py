"""A stand-in for the server of Weights & Biases, on this machine alone.

In: wandb's requests. Out: enough of the answers for runs, uploads and charts. State: what came in (see Answers), and
which fault is being played. Written against what wandb 0.31 sends.
"""

import gzip
import json
import re
import threading
import time
import zlib
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from tests.wandb.answers import ENTITY, Answers

API_KEY = "local-" + "0" * 40
"""Not a secret: this server takes any."""

Fault = Literal["none", "error", "hang", "outage"]
OPERATION = re.compile(r"\b(?:query|mutation)\s+([A-Za-z_]\w*)")


class Server:
    """`with Server() as server:`; `environment()` points a process's wandb at it, before its first call of wandb."""

    def __init__(self) -> None:
        self.fault: Fault = "none"
        self.statuses: dict[str, int] = {}
        self.operations: Counter[str] = Counter()
        self.requests: list[tuple[str, str, int]] = []
        self.uploads: dict[str, bytes] = {}
        self.lock = threading.RLock()
        handler = type("Handler", (Handler,), {"owner": self})
        self._http = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"
        self.answers = Answers(self.url)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)

    def environment(self) -> dict[str, str]:
        """What wandb reads."""
        return {
            "WANDB_BASE_URL": self.url,
            "WANDB_API_KEY": API_KEY,
            "WANDB_MODE": "online",
            "WANDB_ENTITY": ENTITY,
            "WANDB_ERROR_REPORTING": "false",
            "WANDB_DISABLE_GIT": "true",
            "WANDB_SILENT": "true",
            "NO_PROXY": "127.0.0.1,localhost",
            "no_proxy": "127.0.0.1,localhost",
        }

    def tables(self, run: str) -> dict[str, dict[str, Any]]:
        """The tables among the files of a run, by path."""
        begin = f"run/{run}/"
        found = {name: data for name, data in self.uploads.items() if name.startswith(begin + "media/table/")}
        return {name.removeprefix(begin): json.loads(data) for name, data in found.items()}

    def __enter__(self) -> "Server":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.fault = "outage"  # lets go of whoever hangs
        self._http.shutdown()
        self._http.server_close()
        self._thread.join(timeout=5)


class Handler(BaseHTTPRequestHandler):
    """One request. An answer goes out at once: in parts, each would wait 40 ms for the other side."""

    owner: Server
    protocol_version = "HTTP/1.1"
    timeout = 60
    wbufsize = 1 << 16
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Says nothing."""

    def handle_request(self) -> None:
        server, body = self.owner, self._body()
        path = self.path.split("?")[0]
        with server.lock:
            server.requests.append((self.command, path, len(body)))
        if not self._faulty():
            self._answer(*self._route(path, body))

    def _faulty(self) -> bool:
        """Play the fault; whether that was all."""
        while self.owner.fault == "hang":
            time.sleep(0.05)
        if self.owner.fault == "outage":
            self.close_connection = True
            return True
        if self.owner.fault == "error":
            self._answer(500, {"error": "played"})
        return self.owner.fault == "error"

    def _route(self, path: str, body: bytes) -> tuple[int, Any]:
        server = self.owner
        if path == "/graphql":
            asked = json.loads(body)
            found = OPERATION.search(asked.get("query") or "")
            operation = found[1] if found else "?"
            with server.lock:
                server.operations[operation] += 1
                if operation in server.statuses:
                    return server.statuses[operation], {"errors": [{"message": "played"}]}
                return 200, server.answers.answer(operation, asked.get("variables") or {})
        if path.endswith("/file_stream"):
            with server.lock:
                server.answers.stream(path.split("/")[-2], json.loads(body))
            return 200, {"exitcode": None, "limits": {"rate_limit_policy": None}}
        if path.startswith("/storage/") and self.command in {"PUT", "POST"}:
            with server.lock:
                server.uploads[path.removeprefix("/storage/")] = body
            return 200, None
        return (200, {}) if path == "/" else (404, {"error": "not found"})

    def _answer(self, status: int, payload: Any) -> None:
        data = b"" if payload is None else json.dumps(payload).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data if self.command != "HEAD" else b"")

    def _body(self) -> bytes:
        if (self.headers.get("Transfer-Encoding") or "").lower() == "chunked":
            parts = []
            while size := int(self.rfile.readline(1024).split(b";")[0], 16):
                parts.append(self.rfile.read(size))
                self.rfile.readline(1024)
            self.rfile.readline(1024)
            raw = b"".join(parts)
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        encoding = (self.headers.get("Content-Encoding") or "").lower()
        return gzip.decompress(raw) if encoding == "gzip" else zlib.decompress(raw) if encoding == "deflate" else raw

    do_GET = do_POST = do_PUT = do_HEAD = handle_request
