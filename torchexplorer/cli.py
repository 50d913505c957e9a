"""The command line: torchexplorer demo | serve | publish-chart.

In: arguments. Out: an exit code. Owns no state.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

EPILOG = """examples:
  torchexplorer demo                       train a small network on digits and look inside it
  torchexplorer demo --steps 60 --no-serve the same for scripts: train, say where the recording lies, end
  torchexplorer serve ./torchexplorer_standalone
                                           look at recordings that scripts wrote, running ones too
  torchexplorer publish-chart --entity me  make the chart known to Weights & Biases, once for each entity
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; 0 where it went well, 1 where not, 2 where the arguments can't be used, 130 after Ctrl-C."""
    parser = argparse.ArgumentParser(
        prog="torchexplorer",
        description="Look inside a PyTorch network while it trains.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="command")
    demo = commands.add_parser("demo", help="train a small residual network on handwritten digits and watch it")
    demo.add_argument("--steps", type=_positive, default=400, help="training steps (default: 400)")
    demo.add_argument("--log-freq", type=_positive, default=10, help="record every so many steps (default: 10)")
    demo.add_argument("--no-serve", action="store_true", help="end after training instead of serving the page on")
    demo.add_argument("--port", type=_port, default=8080, help="port of the page; the next free one if taken")
    demo.add_argument("--dir", type=Path, default=Path("torchexplorer_standalone"), help="folder for the recording")
    serve = commands.add_parser("serve", help="show the recordings in a folder, old and running ones")
    serve.add_argument("dir", type=Path, help="a folder with .sqlite recordings")
    serve.add_argument("--port", type=_port, default=8080, help="port of the page; the next free one if taken")
    publish = commands.add_parser("publish-chart", help="publish the chart for runs in Weights & Biases")
    publish.add_argument("--entity", required=True, help="user or team whose runs show the chart")
    publish.add_argument("--public", action="store_true", help="for the runs of everyone, not of this entity alone")
    options = parser.parse_args(arguments)
    try:
        if options.command == "publish-chart":
            return _publish(options)
        return _demo(options) if options.command == "demo" else _serve(options, serve)
    except KeyboardInterrupt:
        print("\nStopped. What was recorded is kept.")
        return 130


def _demo(options: argparse.Namespace) -> int:
    import torchexplorer
    from torchexplorer.demo import train

    before = set(options.dir.glob("*.sqlite"))
    watcher, accuracy = train(
        options.steps,
        watch=lambda model: torchexplorer.watch(
            model,
            log_freq=options.log_freq,
            backend="standalone",
            standalone_dir=str(options.dir),
            standalone_port=options.port,
        ),
    )
    recorded = sorted(set(options.dir.glob("*.sqlite")) - before)
    print(f"Held-out accuracy {accuracy:.1%} after {options.steps} steps.")
    if recorded:
        print(f"The recording is in {recorded[-1].resolve()}")
    print(f"Look at it again with: torchexplorer serve {options.dir}")
    watcher.remove()
    if not options.no_serve:
        print("The page stays open. Ctrl-C ends it.", flush=True)
        _wait()
    return 0


def _serve(options: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    if not options.dir.is_dir():
        parser.error(
            f"there is no folder to serve. Seen: {options.dir}. "
            "Give the standalone_dir of a watch, such as ./torchexplorer_standalone"
        )
    from torchexplorer.viewer import serve

    server, _ = serve(options.dir, options.port)
    taken = f" (port {options.port} is taken)" if server.port != options.port and options.port else ""
    print(f"torchexplorer: the recordings in {options.dir} are at {server.url}{taken}. Ctrl-C ends it.", flush=True)
    _wait()
    return 0


def _publish(options: argparse.Namespace) -> int:
    from torchexplorer.backends.wandb_preset import PublishFailed, publish_chart

    try:
        print(f"The chart is published: {publish_chart(options.entity, public=options.public)}")
    except PublishFailed as error:
        print(f"torchexplorer: {error}", file=sys.stderr)
        return 1
    return 0


def _wait() -> None:
    try:
        while True:
            time.sleep(3600)
    except KeyboardInterrupt:
        print()


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"give a whole number of at least 1, not {text}")
    return number


def _port(text: str) -> int:
    number = int(text)
    if not 0 <= number <= 65535:
        raise argparse.ArgumentTypeError(f"give a port from 0 to 65535, not {text}")
    return number


if __name__ == "__main__":
    sys.exit(main())
