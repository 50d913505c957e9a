"""torchvision's video models, on a few small frames."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torchvision.models import video
from torchvision.models.video.mvit import MSBlockConfig

from tests.families.family import Family, Mode
from tests.families.harness import cases, check


def frames() -> tuple[Any, ...]:
    return (torch.randn(1, 3, 8, 32, 32),)


def two_clips() -> tuple[Any, ...]:
    return (torch.randn(2, 3, 8, 32, 32),)


def s3d() -> nn.Module:
    model = video.s3d(num_classes=4)
    model.avgpool = nn.AdaptiveAvgPool3d(1)  # its own needs 14 frames of 224 x 224
    return model


def mvit() -> nn.Module:
    blocks = [
        MSBlockConfig(1, 8, 16, [3, 3, 3], [3, 3, 3], [1, 1, 1], [1, 2, 2]),
        MSBlockConfig(2, 16, 16, [3, 3, 3], [3, 3, 3], [1, 2, 2], [1, 1, 1]),
    ]
    return video.MViT(
        (32, 32),
        8,
        blocks,
        residual_pool=True,
        residual_with_cls_embed=False,
        rel_pos_embed=True,
        proj_after_attn=True,
        num_classes=4,
    )


def swin3d() -> nn.Module:
    return video.SwinTransformer3d([2, 4, 4], 8, [1, 1], [2, 2], [2, 4, 4], num_classes=4)


PADDED = "the frames are padded before a parameter meets them, and no stand-in goes through padding"

CHANGED = "a view, changed in place"

FAMILIES = {
    "r3d_18": Family(lambda: video.r3d_18(num_classes=4), frames),
    "r2plus1d_18": Family(lambda: video.r2plus1d_18(num_classes=4), frames),
    "s3d": Family(s3d, two_clips),
    "mvit": Family(mvit, frames, ungraded={"head input_grad input": CHANGED, "head.0 input_grad input": CHANGED}),
    "swin3d": Family(swin3d, frames, ungraded={" input_grad x": PADDED, "patch_embed input_grad x": PADDED}),
}


@cases(FAMILIES)
def test_video(family: Family, mode: Mode) -> None:
    check(family, mode)
