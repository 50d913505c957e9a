"""The loss scale of mixed precision, taken out of gradients again.

In: values of scaled gradients, a torch.amp.GradScaler. Out: the values without the scale. Owns no state. Reads the
scale on its device, so that no call waits for an accelerator.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor


def unscaled(values: Tensor, scaler: Any) -> Tensor:
    """`values` divided by the scaler's scale as it is now, at least float32, so that small ones do not vanish.

    The values themselves where there is no scaler, or one that is off or has not scaled a loss yet.
    """
    scale = getattr(scaler, "_scale", None)  # get_scale() would wait for the device
    if not isinstance(scale, Tensor):
        return values
    values = values.to(torch.promote_types(values.dtype, torch.float32))
    return values / scale.to(values.device, non_blocking=True)
