"""The child process: runs Graphviz, which can hang or abort, for engine.py. A script; it imports nothing of ours.

In: lines on stdin, each a JSON list of DOT texts; as argument, the seconds that one text may take. Out: on stdout the
line "ready", then one line for each text, in order: {"boxes": {number: [x, y]}, "edges": {number: [[x, y], ...]}} or
null. Owns its process: it ends when stdin does, and by itself when a text takes too long.

Coordinates are read from the SVG, which has two decimals; DOT output has five digits, which are 10 px of a tall graph.
"""

import sys

if __name__ == "__main__":
    del sys.path[0]  # this folder: its modules must not stand in for others

import faulthandler
import json
import os
import re
from typing import Any

NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
POINT = re.compile(rf"({NUMBER}),({NUMBER})")
GROUP = re.compile(r'<g id="([ne])(\d+)" class="(?:node|edge)">(.*?)</g>', re.DOTALL)
DRAWN = re.compile(r' (?:d|points)="([^"]*)"')


def main() -> None:
    """Answer until stdin ends."""
    import pygraphviz

    replies = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # Graphviz may print
    print("ready", file=replies, flush=True)
    for line in sys.stdin:
        for text in json.loads(line):
            faulthandler.dump_traceback_later(float(sys.argv[1]), exit=True)
            try:
                with pygraphviz.AGraph(string=text) as graph:
                    found = read(graph.draw(format="svg", prog="dot").decode())
            except Exception:
                found = None
            faulthandler.cancel_dump_traceback_later()
            print(json.dumps(found), file=replies, flush=True)


def read(svg: str) -> dict[str, dict[str, list[Any]]]:
    """Centres of boxes and bends of edges, by their numbers."""
    boxes: dict[str, list[Any]] = {}
    edges: dict[str, list[Any]] = {}
    for kind, number, inside in GROUP.findall(svg):
        drawn = DRAWN.search(inside)
        points = [(float(x), float(y)) for x, y in POINT.findall(drawn[1])] if drawn else []
        if kind == "e":
            edges[number] = points[::3]  # cubic curves that are straight: every third point is on the line
        elif points:
            boxes[number] = [(min(values) + max(values)) / 2 for values in zip(*points, strict=True)]
    return {"boxes": boxes, "edges": edges}


if __name__ == "__main__":
    main()
