"""A VQ-VAE on the digits data: a step without a gradient, a straight-through estimate, results in a dict."""

import torch
from arguments import finish, parse
from sklearn.datasets import load_digits
from torch import Tensor, nn

import torchexplorer


class Quantizer(nn.Module):
    """Replaces each vector by the nearest of its codes; gradients pass straight through."""

    def __init__(self, codes: int, width: int) -> None:
        super().__init__()
        self.codes = nn.Embedding(codes, width)

    def forward(self, z: Tensor) -> dict[str, Tensor]:
        """Vectors (batch, width) to their codes, the code numbers and the loss that pulls both together."""
        index = torch.cdist(z, self.codes.weight).argmin(1)
        code = self.codes(index)
        loss = nn.functional.mse_loss(code, z.detach()) + 0.25 * nn.functional.mse_loss(z, code.detach())
        return {"quantized": z + (code - z).detach(), "index": index, "loss": loss}


class VQVAE(nn.Module):
    """Encoder, quantizer, decoder."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(64, 32), nn.ReLU(inplace=True), nn.Linear(32, 8))
        self.quantizer = Quantizer(32, 8)
        self.decoder = nn.Sequential(nn.Linear(8, 32), nn.ReLU(inplace=True), nn.Linear(32, 64))

    def forward(self, x: Tensor) -> dict[str, Tensor]:
        """Images (batch, 64) to their reconstructions and the quantizer's loss."""
        found = self.quantizer(self.encoder(x))
        return {"image": self.decoder(found["quantized"]), "loss": found["loss"]}


arguments = parse(__doc__, steps=300)
torch.manual_seed(0)
x = torch.tensor(load_digits().data, dtype=torch.float32) / 16

model = VQVAE()
watcher = torchexplorer.watch(
    model, log_freq=arguments.log_freq, backend=arguments.backend, standalone_dir=arguments.folder
)
optimizer = torch.optim.Adam(model.parameters(), 1e-3)
for step in range(arguments.steps):
    batch = x[torch.randint(len(x), (64,))]
    optimizer.zero_grad()
    result = model(batch)
    loss = nn.functional.mse_loss(result["image"], batch) + result["loss"]
    loss.backward()
    optimizer.step()
    if step % 100 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
finish(watcher, arguments)
