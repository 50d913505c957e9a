"""A transformer that reads the digits row by row: modules with several inputs, masks by keyword, shared layers."""

import torch
from arguments import finish, parse
from sklearn.datasets import load_digits
from torch import Tensor, nn

import torchexplorer


class RowReader(nn.Module):
    """Each row of an image is a token; a learned token collects the answer."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.embed = nn.Linear(8, width)
        self.answer = nn.Parameter(torch.zeros(1, 1, width))
        self.place = nn.Parameter(torch.randn(1, 9, width) * 0.02)
        layer = nn.TransformerEncoderLayer(width, 4, 64, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, 10)

    def forward(self, rows: Tensor, *, padding: Tensor | None = None) -> Tensor:
        """Rows (batch, 8, 8) and a mask of the rows to leave out (batch, 9) to logits (batch, 10)."""
        tokens = torch.cat([self.answer.expand(len(rows), -1, -1), self.embed(rows)], 1) + self.place
        return self.head(self.encoder(tokens, src_key_padding_mask=padding)[:, 0])


arguments = parse(__doc__, steps=100)
torch.manual_seed(0)
images, labels = load_digits(return_X_y=True)
x = torch.tensor(images, dtype=torch.float32).reshape(-1, 8, 8) / 16
y = torch.tensor(labels)

model = RowReader()
watcher = torchexplorer.watch(
    model, log_freq=arguments.log_freq, backend=arguments.backend, standalone_dir=arguments.folder
)
optimizer = torch.optim.Adam(model.parameters(), 3e-3)
for step in range(arguments.steps):
    batch = torch.randint(len(x), (64,))
    padding = torch.zeros(64, 9, dtype=torch.bool)
    padding[:, 1:] = torch.rand(64, 8) < 0.1
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(x[batch], padding=padding), y[batch])
    loss.backward()
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step}: loss {loss.item():.3f}")
finish(watcher, arguments)
