"""torchvision's classifiers: the smallest of each family, on small pictures."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torchvision import models

from tests.families.family import Family, Mode
from tests.families.harness import cases, check


def pictures(size: int, batch: int = 2) -> Callable[[], tuple[Any, ...]]:
    return lambda: (torch.randn(batch, 3, size, size),)


def narrow(model: Any) -> nn.Module:
    """Without the classifier's 4096 features, which are 50 to 100 million parameters."""
    for index, layer in enumerate(model.classifier):
        if isinstance(layer, nn.Linear):
            inputs, outputs = (
                min(size, 16) if size == 4096 else size for size in (layer.in_features, layer.out_features)
            )
            model.classifier[index] = nn.Linear(inputs, outputs)
    return model


def maxvit() -> nn.Module:
    return models.MaxVit(
        input_size=(32, 32),
        stem_channels=8,
        partition_size=2,
        block_channels=[8, 8],
        block_layers=[1, 1],
        head_dim=8,
        stochastic_depth_prob=0.1,
        num_classes=4,
    )


VIEW_CHANGED = "flattened, or the result of a Linear on more than two dimensions, and then changed in place"
FLATTENED = {"classifier input_grad input": VIEW_CHANGED, "classifier.0 input_grad input": VIEW_CHANGED}
TABLES = {"*.cpb_mlp.0 output_grad 0": VIEW_CHANGED, "*.cpb_mlp.1 input_grad input": VIEW_CHANGED}

FAMILIES = {
    "alexnet": Family(lambda: narrow(models.alexnet(num_classes=4)), pictures(64)),
    "convnext_tiny": Family(lambda: models.convnext_tiny(num_classes=4), pictures(32)),
    "densenet121": Family(lambda: models.densenet121(num_classes=4), pictures(32)),
    "efficientnet_b0": Family(lambda: models.efficientnet_b0(num_classes=4), pictures(32), ungraded=FLATTENED),
    "efficientnet_v2_s": Family(lambda: models.efficientnet_v2_s(num_classes=4), pictures(32), ungraded=FLATTENED),
    "googlenet": Family(lambda: models.googlenet(num_classes=4, init_weights=False), pictures(64)),
    "inception_v3": Family(
        lambda: models.inception_v3(num_classes=4, init_weights=False, aux_logits=False), pictures(80)
    ),
    "maxvit": Family(maxvit, pictures(32)),
    "mnasnet0_5": Family(lambda: models.mnasnet0_5(num_classes=4), pictures(32)),
    "mobilenet_v2": Family(lambda: models.mobilenet_v2(num_classes=4, width_mult=0.25), pictures(32)),
    "mobilenet_v3_small": Family(lambda: models.mobilenet_v3_small(num_classes=4), pictures(32)),
    "regnet_y_400mf": Family(lambda: models.regnet_y_400mf(num_classes=4), pictures(32)),
    "resnet18": Family(lambda: models.resnet18(num_classes=4), pictures(32)),
    "shufflenet_v2_x0_5": Family(lambda: models.shufflenet_v2_x0_5(num_classes=4), pictures(32)),
    "squeezenet1_1": Family(lambda: models.squeezenet1_1(num_classes=4), pictures(32)),
    "swin_t": Family(lambda: models.swin_t(num_classes=4), pictures(32)),
    "swin_v2_t": Family(lambda: models.swin_v2_t(num_classes=4), pictures(32), ungraded=TABLES),
    "vgg11_bn": Family(lambda: narrow(models.vgg11_bn(num_classes=4, init_weights=False)), pictures(32)),
    "vit": Family(lambda: models.VisionTransformer(32, 8, 2, 2, 16, 32, num_classes=4), pictures(32)),
}


@cases(FAMILIES)
def test_classifiers(family: Family, mode: Mode) -> None:
    check(family, mode)
