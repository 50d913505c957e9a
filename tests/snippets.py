"""The published snippets, word for word but for their comments: they end in a page on this machine.

In: nothing. Out: texts to run in a process of their own. Owns no state.
"""

RESNET = """
import torch
import torchvision
import torchexplorer

model = torchvision.models.resnet18(pretrained=False)
dummy_X = torch.randn(5, 3, 32, 32)

# Only log input/output and parameter histograms, if you don't want these set log=[].
torchexplorer.watch(model, log_freq=1, log=['io', 'params'], backend='standalone')

# Do one forwards and backwards pass
model(dummy_X).sum().backward()

# Your model will be available at http://localhost:8080
"""

RESNET_GRADIENTS = RESNET.replace(
    "torchexplorer.watch(model, log_freq=1, log=['io', 'params'], backend='standalone')",
    """residual_class = torchvision.models.resnet.BasicBlock
torchexplorer.watch(
    model, log_freq=1, disable_inplace=True,
    log=['io', 'io_grad', 'params', 'params_grad'],
    ignore_io_grad_classes=[residual_class], backend='standalone'
)""",
)

ATTACH = """
import torch
from torch import nn
import torchexplorer

class AttachModule(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(10, 10)
        self.fc2 = nn.Linear(10, 10)

    def forward(self, x):
        x = self.fc1(x)
        x = torchexplorer.attach(x, self, 'intermediate')
        return self.fc2(x)

model = AttachModule()
dummy_X = torch.randn(5, 10)
torchexplorer.watch(model, log_freq=1, backend='standalone')
model(dummy_X).sum().backward()
# Your model will be available at http://localhost:8080
"""
