"""Recurrent networks: PyTorch's own loop, and one written out over a cell."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import PackedSequence, pack_padded_sequence

from tests.families.family import Family, Mode
from tests.families.harness import cases, check


class Tagger(nn.Module):
    """Embedding, LSTM, a score for each word."""

    def __init__(self) -> None:
        super().__init__()
        self.embed, self.lstm = nn.Embedding(20, 6), nn.LSTM(6, 5, 2, batch_first=True, bidirectional=True, dropout=0.1)
        self.score = nn.Linear(10, 3)

    def forward(self, words: Tensor) -> Tensor:
        hidden, _ = self.lstm(self.embed(words))
        scores: Tensor = self.score(hidden)
        return scores


class Packed(nn.Module):
    """An LSTM over sequences of different lengths, read out at the end of each."""

    def __init__(self) -> None:
        super().__init__()
        self.lstm, self.score = nn.LSTM(4, 5), nn.Linear(5, 2)

    def forward(self, x: Tensor, lengths: Tensor) -> tuple[PackedSequence, Tensor]:
        out, (last, _) = self.lstm(pack_padded_sequence(x, lengths, enforce_sorted=False))
        return out, self.score(last[-1])


class Unrolled(nn.Module):
    """The same cell at every time."""

    def __init__(self) -> None:
        super().__init__()
        self.cell, self.score = nn.LSTMCell(4, 5), nn.Linear(5, 2)

    def forward(self, x: Tensor) -> Tensor:
        hidden = state = x.new_zeros(x.shape[1], 5)
        for now in x:
            hidden, state = self.cell(now, (hidden, state))
        scores: Tensor = self.score(hidden)
        return scores


def sequences() -> tuple[Any, ...]:
    return (torch.randn(6, 3, 4),)


PACKED = "packed before a parameter meets it, and no stand-in goes through packing"
FROM_STATE = "LSTMCell makes its hidden state from its new cell state"

FAMILIES = {
    "lstm": Family(lambda: nn.LSTM(4, 5, 2, dropout=0.1), sequences),
    "tagger": Family(Tagger, lambda: (torch.randint(0, 20, (3, 6)),)),
    "packed": Family(Packed, lambda: (*sequences(), torch.tensor([3, 6, 2])), ungraded={" input_grad x": PACKED}),
    "unrolled": Family(Unrolled, sequences, totals={"cell output_grad 1": FROM_STATE}),
}


@cases(FAMILIES)
def test_recurrent(family: Family, mode: Mode) -> None:
    check(family, mode)
