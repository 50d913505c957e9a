"""torchvision's segmentation and detection models, on small pictures."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torchvision.models import detection, segmentation

from tests.families.family import Family, Mode
from tests.families.harness import cases, check

NO_WEIGHTS: dict[str, Any] = {"weights": None, "weights_backbone": None, "num_classes": 3}


def pictures() -> tuple[Any, ...]:
    return (torch.randn(2, 3, 32, 32),)


def two_sizes() -> list[Tensor]:
    return [torch.rand(3, 80, 80), torch.rand(3, 64, 96)]


def with_targets() -> tuple[Any, ...]:
    boxes = torch.tensor([[5.0, 5.0, 40.0, 40.0]])
    return two_sizes(), [{"boxes": boxes.clone(), "labels": torch.tensor([1])} for _ in range(2)]


def without_targets() -> tuple[Any, ...]:
    return (two_sizes(),)


def fcn() -> nn.Module:
    return segmentation.fcn_resnet50(aux_loss=True, **NO_WEIGHTS)


def faster_rcnn(**sizes: Any) -> nn.Module:
    return detection.fasterrcnn_mobilenet_v3_large_320_fpn(min_size=96, max_size=128, **NO_WEIGHTS)


FAMILIES = {
    "fcn": Family(fcn, pictures),
    "deeplabv3": Family(lambda: segmentation.deeplabv3_mobilenet_v3_large(**NO_WEIGHTS), pictures),
    "lraspp": Family(lambda: segmentation.lraspp_mobilenet_v3_large(**NO_WEIGHTS), pictures),
    "faster_rcnn": Family(faster_rcnn, with_targets, eval_args=without_targets),
    "retinanet": Family(
        lambda: detection.retinanet_resnet50_fpn(min_size=64, max_size=96, **NO_WEIGHTS),
        with_targets,
        eval_args=without_targets,
    ),
    "ssdlite": Family(
        lambda: detection.ssdlite320_mobilenet_v3_large(**NO_WEIGHTS), with_targets, eval_args=without_targets
    ),
}


@cases(FAMILIES)
def test_segmentation_and_detection(family: Family, mode: Mode) -> None:
    check(family, mode)
