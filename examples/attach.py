"""Tensors that no module returns, shown by name: is it the skip connection or the main path that the gradient takes?"""

import torch
from arguments import finish, parse
from sklearn.datasets import load_diabetes
from torch import Tensor, nn

import torchexplorer


class Residual(nn.Module):
    """A linear layer beside a skip connection, both attached by name."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.layer, self.activation = nn.Linear(width, width), nn.ReLU()

    def forward(self, x: Tensor) -> Tensor:
        """(batch, width) to (batch, width)."""
        main = torchexplorer.attach(self.activation(self.layer(x)), self, "main path")
        skip = torchexplorer.attach(x * 1.0, self, "skip connection")
        return main + skip


arguments = parse(__doc__, steps=300)
torch.manual_seed(0)
patients, progress = load_diabetes(return_X_y=True)
x = torch.tensor(patients, dtype=torch.float32)
y = torch.tensor(progress, dtype=torch.float32)[:, None]
x, y = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()

model = nn.Sequential(nn.Linear(10, 16), Residual(16), Residual(16), nn.Linear(16, 1))
watcher = torchexplorer.watch(
    model, log_freq=arguments.log_freq, backend=arguments.backend, standalone_dir=arguments.folder
)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for step in range(arguments.steps):
    batch = torch.randint(len(x), (64,))
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x[batch]), y[batch])
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
finish(watcher, arguments)
