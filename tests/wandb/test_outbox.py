"""The outbox: newest first, at a pace, all of it at the end, never in the way."""

import threading
import time
from typing import Any

import pytest

from torchexplorer.backends import wandb_outbox
from torchexplorer.backends.wandb_outbox import Fate, Outbox


def outbox(*, interval: float, fate: Fate = "sent") -> tuple[Outbox[int], list[Any]]:
    sent: list[Any] = []

    def send(item: int, last: bool) -> Fate:
        sent.append((item, last))
        return fate

    return Outbox(send, interval=interval), sent


def wait_for(condition: Any) -> None:
    until = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.005)


def test_the_first_goes_at_once_then_the_newest() -> None:
    box, sent = outbox(interval=3600)
    box.put(0)
    wait_for(lambda: sent)
    for item in range(1, 9):
        box.put(item)
    assert sent == [(0, False)]
    assert box.end(5)
    assert sent == [(0, False), (8, True)]


def test_what_waits_goes_when_it_is_time_with_no_other_call() -> None:
    box, sent = outbox(interval=0.05)
    box.put(0)
    wait_for(lambda: sent)
    box.put(1)
    wait_for(lambda: len(sent) == 2)
    box.end(5)


def test_the_pace_halves_after_each_hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wandb_outbox, "SLOWER_AFTER", 2)
    box, sent = outbox(interval=100)
    for item in range(5):
        box.put(item)
        box.flush(5)
    assert len(sent) == 5
    assert 300 < box._pause() <= 400
    box.end(5)


def test_held_until_the_end() -> None:
    box, sent = outbox(interval=0)
    box.hold()
    box.put(0)
    time.sleep(0.05)
    assert not sent
    box.end(5)
    assert sent == [(0, True)]


def test_what_failed_is_tried_again() -> None:
    box, sent = outbox(interval=0.02, fate="failed")
    box.put(0)
    wait_for(lambda: len(sent) > 2)
    assert {item for item, _ in sent} == {0}
    assert box.end(5)


def test_nobody_waits_longer_than_its_patience() -> None:
    let_go = threading.Event()
    box: Outbox[int] = Outbox(lambda item, last: "sent" if let_go.wait(5) else "failed", interval=0)
    begun = time.monotonic()
    box.put(0)
    assert not box.end(0.1)
    assert time.monotonic() - begun < 1
    let_go.set()
    assert box.end(5)


def test_the_thread_ends() -> None:
    box, _ = outbox(interval=0)
    box.put(0)
    box.end(5)
    wait_for(lambda: not [each for each in threading.enumerate() if each.name == "torchexplorer-wandb" and box._thread])


def test_without_threads_it_sends_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: threading.Thread) -> None:
        raise RuntimeError("can't create new thread at interpreter shutdown")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    box, sent = outbox(interval=0)
    box.put(0)
    assert box.end(5)
    assert sent == [(0, True)]
