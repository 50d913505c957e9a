"""A small network on the iris data: the first thing to look at."""

import torch
from arguments import finish, parse
from sklearn.datasets import load_iris
from torch import nn

import torchexplorer

arguments = parse(__doc__, steps=300)
torch.manual_seed(0)
flowers, species = load_iris(return_X_y=True)
x = torch.tensor(flowers, dtype=torch.float32)
x = (x - x.mean(0)) / x.std(0)
y = torch.tensor(species)

model = nn.Sequential(nn.Linear(4, 32), nn.Tanh(), nn.Linear(32, 32), nn.Tanh(), nn.Linear(32, 3))
watcher = torchexplorer.watch(
    model, log_freq=arguments.log_freq, backend=arguments.backend, standalone_dir=arguments.folder
)
optimizer = torch.optim.Adam(model.parameters(), 1e-2)
for _ in range(arguments.steps):
    batch = torch.randint(len(x), (32,))
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x[batch]), y[batch]).backward()
    optimizer.step()

model.eval()
with torch.no_grad():
    print(f"accuracy {(model(x).argmax(1) == y).float().mean():.2f}")
finish(watcher, arguments)
