"""What `watch` was asked for, checked.

In: the arguments of `watch`. Out: frozen WatchOptions, or an error that says what failed, what was seen, what to do.
Owns no state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

from torch import nn
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from torchexplorer.backends import TransportName

LogKind = Literal["io", "io_grad", "params", "params_grad"]
BackendName = Literal["wandb", "standalone", "none"]
Schedule = int | Callable[[int], bool]
TimeLog = tuple[str, Callable[[nn.Module, int], float]]

LOG_KINDS: tuple[LogKind, ...] = ("io", "io_grad", "params", "params_grad")
TRANSPORTS: tuple[TransportName, ...] = ("log", "file", "html")
BACKENDS: tuple[BackendName, ...] = ("wandb", "standalone", "none")
OTHER_SPELLINGS = {
    "delay_log_multibackward": "delay_log_multi_backward",
    "reject_outlier_propertion": "reject_outlier_proportion",
}
"""Spellings of options in TorchExplorer's documents, and the names they stand for."""


@dataclass(frozen=True)
class WatchOptions:
    """The arguments of `watch` under their own names, each valid."""

    log: tuple[LogKind, ...]
    log_freq: Schedule
    ignore_io_grad_classes: tuple[type, ...]
    disable_inplace: bool
    bins: int
    sample_n: int | None
    reject_outlier_proportion: float
    time_log: TimeLog
    delay_log_multi_backward: bool
    backend: BackendName
    standalone_dir: str
    standalone_port: int
    verbose: bool
    run_name: str | None
    eval_log_freq: Schedule
    grad_scaler: GradScaler | None
    optimizer: tuple[Optimizer, ...]
    wandb_transport: TransportName
    wandb_chart: str | None
    wandb_interval: float
    run: Any

    def __post_init__(self) -> None:
        object.__setattr__(self, "log", _log(self.log))
        object.__setattr__(self, "ignore_io_grad_classes", _classes(self.ignore_io_grad_classes))
        object.__setattr__(self, "standalone_dir", str(self.standalone_dir))
        object.__setattr__(self, "optimizer", _optimizers(self.optimizer))
        _schedule("log_freq", self.log_freq)
        if self.eval_log_freq is None:
            object.__setattr__(self, "eval_log_freq", self.log_freq)
        _schedule("eval_log_freq", self.eval_log_freq)
        _whole("bins", self.bins, 2, 1000)
        if self.sample_n is not None:
            _whole("sample_n", self.sample_n, 1, None, hint=", or None for every element")
        _whole("standalone_port", self.standalone_port, 0, 65535)
        _share("reject_outlier_proportion", self.reject_outlier_proportion)
        _name("backend", self.backend, BACKENDS)
        _time_log(self.time_log)
        if self.grad_scaler is not None and not isinstance(self.grad_scaler, GradScaler):
            raise _bad("grad_scaler", self.grad_scaler, 'Give a torch.amp.GradScaler("cuda"), or None.', TypeError)
        if self.run_name is not None and (not isinstance(self.run_name, str) or not self.run_name.strip()):
            raise _bad(
                "run_name", self.run_name, "Give a text such as 'resnet-1', or None for a name made from the time."
            )
        _name("wandb_transport", self.wandb_transport, TRANSPORTS)
        _wandb(self.wandb_chart, self.wandb_interval, self.run)


def respell(given: Mapping[str, Any], known: Iterable[str]) -> dict[str, Any]:
    """Keyword arguments under their own names. Raises TypeError for unknown ones, with the nearest that there is."""
    names = list(known)
    found: dict[str, Any] = {}
    for name, value in given.items():
        right = OTHER_SPELLINGS.get(name)
        if right is None:
            near = get_close_matches(name, names, 1)
            hint = f"Did you mean {near[0]!r}?" if near else f"The options are: {', '.join(names)}."
            raise TypeError(f"watch() has no option of this name. Seen: {name}={value!r}. {hint}")
        found[right] = value
    return found


def check_model(model: object) -> nn.Module:
    """The model, if it is one. Raises TypeError otherwise."""
    if isinstance(model, nn.Module):
        return model
    hint = "an instance of it" if isinstance(model, type) else "a torch.nn.Module"
    raise TypeError(f"watch() watches a torch.nn.Module. Seen: {_short(model)}. Pass {hint}: watch(model).")


def _log(log: Any) -> tuple[LogKind, ...]:
    if isinstance(log, str) or not isinstance(log, Iterable):
        raise _bad("log", log, f"Give a list of any of {list(LOG_KINDS)}; [] records the structure only.", TypeError)
    kinds = list(log)
    for kind in kinds:
        _name("log entry", kind, LOG_KINDS)
    return tuple(kind for kind in LOG_KINDS if kind in kinds)


def _classes(classes: Any) -> tuple[type, ...]:
    found = (classes,) if isinstance(classes, type) else tuple(classes) if isinstance(classes, Iterable) else None
    if found is None or not all(isinstance(each, type) for each in found):
        raise _bad("ignore_io_grad_classes", classes, "Give a list of module classes, such as [BasicBlock].", TypeError)
    return found


def _optimizers(seen: Any) -> tuple[Optimizer, ...]:
    found = () if seen is None else tuple(seen) if isinstance(seen, (list, tuple)) else (seen,)
    if not all(isinstance(each, Optimizer) for each in found):
        raise _bad("optimizer", seen, "Give a torch.optim.Optimizer, a list of them, or None.", TypeError)
    return found


def _schedule(what: str, seen: Any) -> None:
    if not callable(seen):
        _whole(what, seen, 1, None, hint=" or a function of the step that returns True or False")


def _wandb(chart: Any, interval: Any, run: Any) -> None:
    if chart is not None and not (isinstance(chart, str) and len(chart.split("/")) == 2 and all(chart.split("/"))):
        raise _bad("wandb_chart", chart, 'Give "entity/name" of a published chart, or None for that of this version.')
    if not isinstance(interval, (int, float)) or isinstance(interval, bool) or not interval >= 0:
        raise _bad("wandb_interval", interval, "Give the seconds between two uploads, such as 30.")
    if run is not None and not (hasattr(run, "log") and hasattr(run, "summary")):
        raise _bad("run", run, "Give what wandb.init() returned, or None for the run that is active.", TypeError)


def _name(what: str, seen: Any, known: tuple[str, ...]) -> None:
    if seen in known and isinstance(seen, str):
        return
    near = get_close_matches(str(seen), known, 1, cutoff=0.4)
    hint = f"Did you mean {near[0]!r}? " if near else ""
    raise _bad(what, seen, f"{hint}It is one of {list(known)}.")


def _whole(what: str, seen: Any, low: int, high: int | None, *, hint: str = "") -> None:
    if isinstance(seen, int) and not isinstance(seen, bool) and seen >= low and (high is None or seen <= high):
        return
    span = f"of at least {low}" if high is None else f"from {low} to {high}"
    raise _bad(what, seen, f"Give a whole number {span}{hint}.", ValueError if isinstance(seen, int) else TypeError)


def _share(what: str, seen: Any) -> None:
    if isinstance(seen, (int, float)) and not isinstance(seen, bool) and 0 <= seen < 1:
        return
    raise _bad(what, seen, "Give a share from 0.0 (reject nothing) to below 1.0.")


def _time_log(seen: Any) -> None:
    if isinstance(seen, tuple) and len(seen) == 2 and isinstance(seen[0], str) and callable(seen[1]):
        return
    raise _bad(
        "time_log", seen, 'Give a pair of unit and function: ("epoch", lambda module, step: step / 100).', TypeError
    )


def _bad(what: str, seen: Any, to_do: str, kind: type[Exception] = ValueError) -> Exception:
    return kind(f"watch() can't use this {what}. Seen: {_short(seen)}. {to_do}")


def _short(seen: object) -> str:
    text = repr(seen)
    return text if len(text) <= 80 else f"{text[:77]}..."
