"""`watch`: one line added to a training script.

In: a module and options. Out: a Watcher. Owns no state.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from torch import nn
from torch.amp.grad_scaler import GradScaler
from torch.optim import Optimizer

from torchexplorer.backends import TransportName
from torchexplorer.options import LOG_KINDS, BackendName, Schedule, TimeLog, WatchOptions, check_model, respell
from torchexplorer.watcher import Watcher


def watch(
    model: nn.Module,
    log: Sequence[str] = LOG_KINDS,
    log_freq: Schedule = 500,
    ignore_io_grad_classes: Sequence[type] = (),
    disable_inplace: bool = False,
    bins: int = 30,
    sample_n: int | None = 1000,
    reject_outlier_proportion: float = 0.1,
    time_log: TimeLog = ("step", lambda module, step: step),
    delay_log_multi_backward: bool = False,
    backend: BackendName = "wandb",
    standalone_dir: str = "./torchexplorer_standalone",
    standalone_port: int = 8080,
    verbose: bool = True,
    *,
    run_name: str | None = None,
    eval_log_freq: Schedule | None = None,
    grad_scaler: GradScaler | None = None,
    optimizer: Optimizer | Sequence[Optimizer] | None = None,
    wandb_transport: TransportName = "log",
    wandb_chart: str | None = None,
    wandb_interval: float = 30.0,
    run: Any = None,
    **other_spellings: Any,
) -> Watcher:
    """Record the inside of `model` while it trains, and show it.

    Args:
        model: the module to watch. Nothing of it is changed; two hooks on it notice its forwards.
        log: what to record of each module call: "io" (values of inputs and outputs), "io_grad" (their gradient norms,
            L2 per sample), "params" and "params_grad". [] records the structure only.
        log_freq: record every `log_freq`-th step, the first included; or a function of the step that says whether,
            such as `log_spaced(...)`.
        ignore_io_grad_classes: classes of modules whose inputs and outputs get no gradients recorded.
        disable_inplace: set `inplace=False` on activations until `remove()`. Not needed for recording.
        bins: bins of a histogram.
        sample_n: elements taken of each tensor, None for all.
        reject_outlier_proportion: share of each sample, farthest from the median, that is counted but not binned.
        time_log: unit and function `(module, step) -> number` of the time axis.
        delay_log_multi_backward: accepted for old scripts; several forwards before a backward need no option.
        backend: "wandb", "standalone" (a page on this machine) or "none" (in memory).
        standalone_dir: folder for the recordings of the standalone backend.
        standalone_port: port of its page; the next free one if taken.
        verbose: say where the explorer is.
        run_name: name of this recording.
        eval_log_freq: as log_freq, for the steps of `eval()` calls, which have a count of their own. None: as log_freq.
        grad_scaler: the scaler of mixed precision. All gradients are divided by its scale. Without it they are
            recorded as they are: scaled.
        optimizer: one or several. Records how far their step moves each parameter: norm of the change over norm of the
            weight. From the end of a recorded backward to the optimizer's step this keeps a copy of the parameters.
        wandb_transport: how a table reaches W&B: "log" (a custom chart by `run.log`), "file" (a custom chart by a file
            of the run), "html" (a page with everything in it).
        wandb_chart: "entity/name" of the published chart; None: that of this version, under the run's entity.
        wandb_interval: seconds from one upload to the next, doubled after each hundred.
        run: the W&B run to show it in; None: the one that is active.

    Returns:
        The Watcher. It lives as long as the model; keeping it is not necessary.

    Raises:
        TypeError, ValueError: an argument can't be used; the text says what was seen and what to do.

    Names and defaults are those of TorchExplorer's published interface.
    """
    arguments: dict[str, Any] = {
        "log": log,
        "log_freq": log_freq,
        "ignore_io_grad_classes": ignore_io_grad_classes,
        "disable_inplace": disable_inplace,
        "bins": bins,
        "sample_n": sample_n,
        "reject_outlier_proportion": reject_outlier_proportion,
        "time_log": time_log,
        "delay_log_multi_backward": delay_log_multi_backward,
        "backend": backend,
        "standalone_dir": standalone_dir,
        "standalone_port": standalone_port,
        "verbose": verbose,
        "run_name": run_name,
        "eval_log_freq": eval_log_freq,
        "grad_scaler": grad_scaler,
        "optimizer": optimizer,
        "wandb_transport": wandb_transport,
        "wandb_chart": wandb_chart,
        "wandb_interval": wandb_interval,
        "run": run,
    }
    arguments.update(respell(other_spellings, arguments))
    return Watcher(check_model(model), WatchOptions(**arguments))
