"""A residual network on the digits data: in-place activations and additions, and skip connections in the graph."""

import torch
from arguments import finish, parse
from sklearn.datasets import load_digits
from torch import Tensor, nn

import torchexplorer


class Block(nn.Module):
    """Two convolutions and the input added to them in place."""

    def __init__(self, channels: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(channels)
        self.conv2 = nn.Conv2d(channels, channels, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(channels)
        self.relu = nn.ReLU(inplace=True)

    def forward(self, x: Tensor) -> Tensor:
        """Images to images of the same shape."""
        out = self.relu(self.norm1(self.conv1(x)))
        out = self.norm2(self.conv2(out))
        out += x
        return self.relu(out)


arguments = parse(__doc__, steps=100)
torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x = torch.tensor(images, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16
y = torch.tensor(labels)

model = nn.Sequential(
    nn.Conv2d(1, 16, 3, padding=1), Block(16), Block(16), nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(64, 10)
)
watcher = torchexplorer.watch(
    model, log_freq=arguments.log_freq, backend=arguments.backend, standalone_dir=arguments.folder
)
optimizer = torch.optim.SGD(model.parameters(), 0.1, momentum=0.9)
for step in range(arguments.steps):
    batch = torch.randint(len(x), (64,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
finish(watcher, arguments)
