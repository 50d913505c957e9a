"""Layers of torch.nn that have an inside or odd inputs: recurrent ones, attention, transformers."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from tests.zoo.case import Case, Level, chain, dashed, lin, line, merge, model, rand


def sequence() -> tuple[Any, ...]:
    return (rand(2, 5, 4),)


def lstm() -> nn.LSTM:
    return nn.LSTM(4, 4, batch_first=True)


def unrolled(self: Any, x: Tensor) -> Tensor:
    state = None
    for step in x.unbind(1):
        state = self.cell(step, state)
    return self.head(state[0])


def packed(self: Any, x: Tensor) -> Tensor:
    out, _ = self.rnn(pack_padded_sequence(x, [5, 3], batch_first=True))
    return self.head(pad_packed_sequence(out, batch_first=True)[0])


def packed_by_lengths(self: Any, x: Tensor, lengths: Tensor) -> Tensor:
    _, (h, _) = self.rnn(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    return self.head(h[-1])


def seq2seq(self: Any, x: Tensor) -> Tensor:
    out, state = self.enc(x)
    return self.dec(out, state)[0]


def encoder_layer(**options: Any) -> nn.TransformerEncoderLayer:
    return nn.TransformerEncoderLayer(4, 2, 8, batch_first=True, **options)


POST_NORM = (
    chain(
        "in:src",
        "self_attn#0",
        "dropout1#0",
        "norm1#0",
        "linear1#0",
        "dropout#0",
        "linear2#0",
        "dropout2#0",
        "norm2#0",
        "out:0",
    )
    | chain("in:src", "norm1#0")
    | chain("norm1#0", "norm2#0")
)
NODES = "in:src self_attn#0 dropout1#0 norm1#0 linear1#0 dropout#0 linear2#0 dropout2#0 norm2#0 out:0"
PRE_NORM = (
    chain(
        "in:src",
        "norm1#0",
        "self_attn#0",
        "dropout1#0",
        "norm2#0",
        "linear1#0",
        "dropout#0",
        "linear2#0",
        "dropout2#0",
        "out:0",
    )
    | chain("in:src", "norm2#0")
    | chain("in:src", "out:0")
    | chain("dropout1#0", "out:0")
)
DECODER = (
    chain("in:tgt", "self_attn#0", "dropout1#0", "norm1#0", "multihead_attn#0", "dropout2#0", "norm2#0")
    | chain("norm2#0", "linear1#0", "dropout#0", "linear2#0", "dropout3#0", "norm3#0", "out:0")
    | chain("in:tgt", "norm1#0")
    | chain("norm1#0", "norm2#0", "norm3#0")
    | chain("in:memory", "multihead_attn#0")
)
CELLS = [f"cell#{index}" for index in range(5)]


def below(path: str, keys: str) -> dict[str, str]:
    return {key: f"{path}.{key}" if "#" in key else key for key in keys.split()}


def inside(path: str, level: Level) -> Level:
    names = below(path, level.nodes)
    return Level(" ".join(names.values()), frozenset((names[s], names[t], flag) for s, t, flag in level.edges))


CASES = [
    Case(
        "lstm",
        lambda: model(lambda self, x: self.head(self.rnn(x)[0]), rnn=lstm(), head=lin()),
        line("in:x", "rnn#0", "head#0", "out:0"),
        inputs=sequence,
    ),
    Case(
        "lstm root",
        lstm,
        Level(
            "in:input out:0 out:1.0 out:1.1",
            merge("in:input", to="out:0") | merge("in:input", to="out:1.0") | merge("in:input", to="out:1.1"),
        ),
        inputs=sequence,
    ),
    Case(
        "gru states",
        lambda: model(lambda self, x: self.head(self.rnn(x)[1][-1]), rnn=nn.GRU(4, 4, 2, batch_first=True), head=lin()),
        line("in:x", "rnn#0", "head#0", "out:0"),
        inputs=sequence,
    ),
    Case(
        "encoder and decoder",
        lambda: model(seq2seq, enc=lstm(), dec=lstm()),
        line("in:x", "enc#0", "dec#0", "out:0"),
        inputs=sequence,
    ),
    Case(
        "unrolled cells",
        lambda: model(unrolled, cell=nn.LSTMCell(4, 4), head=lin()),
        Level(
            " ".join(["in:x", *CELLS, "head#0", "out:0"]),
            chain(*CELLS, "head#0", "out:0") | frozenset(("in:x", cell, True) for cell in CELLS),
        ),
        inputs=sequence,
    ),
    Case(
        "packed sequence",
        lambda: model(packed, rnn=lstm(), head=lin()),
        line("in:x", "rnn#0", "head#0", "out:0"),
        inputs=sequence,
    ),
    Case(
        "packed by lengths",
        lambda: model(packed_by_lengths, rnn=lstm(), head=lin()),
        Level(
            "in:x in:lengths rnn#0 head#0 out:0",
            chain("in:x", "rnn#0", "head#0", "out:0") | dashed("in:lengths", "rnn#0"),
        ),
        inputs=lambda: (rand(2, 5, 4), torch.tensor([3, 5])),
    ),
    Case(
        "attention of one tensor",
        lambda: model(lambda self, x: self.attn(x, x, x)[0], attn=nn.MultiheadAttention(4, 2, batch_first=True)),
        line("in:x", "attn#0", "out:0"),
        inputs=sequence,
    ),
    Case(
        "attention with weights given out",
        lambda: model(
            lambda self, x: self.attn(x, self.a(x), x), attn=nn.MultiheadAttention(4, 2, batch_first=True), a=lin()
        ),
        Level(
            "in:x a#0 attn#0 out:0 out:1", chain("in:x", "a#0", "attn#0", "out:0") | chain("in:x", "attn#0", "out:1")
        ),
        inputs=sequence,
    ),
    Case(
        "attention with a mask",
        lambda: model(
            lambda self, x, mask: self.attn(x, x, x, key_padding_mask=mask)[0],
            attn=nn.MultiheadAttention(4, 2, batch_first=True),
        ),
        Level("in:x in:mask attn#0 out:0", chain("in:x", "attn#0", "out:0") | dashed("in:mask", "attn#0")),
        inputs=lambda: (rand(2, 5, 4), torch.zeros(2, 5).bool()),
    ),
    Case("encoder layer", encoder_layer, Level(NODES, POST_NORM), inputs=sequence),
    Case("encoder layer, norm first", lambda: encoder_layer(norm_first=True), Level(NODES, PRE_NORM), inputs=sequence),
    Case("encoder layer in eval", encoder_layer, Level(NODES, POST_NORM), inputs=sequence, mode="eval"),
    Case(
        "encoder",
        lambda: nn.TransformerEncoder(encoder_layer(), 2, enable_nested_tensor=False),
        line("in:src", "layers.0#0", "layers.1#0", "out:0"),
        {f"layers.{n}#0": inside(f"layers.{n}", Level(NODES, POST_NORM)) for n in (0, 1)},
        inputs=sequence,
    ),
    Case(
        "decoder layer",
        lambda: nn.TransformerDecoderLayer(4, 2, 8, batch_first=True),
        Level(
            "in:tgt in:memory self_attn#0 dropout1#0 norm1#0 multihead_attn#0 dropout2#0 norm2#0 "
            "linear1#0 dropout#0 linear2#0 dropout3#0 norm3#0 out:0",
            DECODER,
        ),
        inputs=lambda: (rand(2, 3, 4), rand(2, 5, 4)),
    ),
    Case(
        "transformer",
        lambda: nn.Transformer(4, 2, 1, 1, 8, batch_first=True),
        Level(
            "in:src in:tgt encoder#0 decoder#0 out:0",
            chain("in:src", "encoder#0", "decoder#0", "out:0") | chain("in:tgt", "decoder#0"),
        ),
        None,
        inputs=lambda: (rand(2, 5, 4), rand(2, 3, 4)),
    ),
    Case(
        "embedding bag",
        lambda: model(lambda self, ids: self.bag(ids), bag=nn.EmbeddingBag(8, 4)),
        Level("in:ids bag#0 out:0", dashed("in:ids", "bag#0") | chain("bag#0", "out:0")),
        inputs=lambda: (torch.randint(0, 8, (2, 3)),),
    ),
    Case(
        "loss layer",
        lambda: model(lambda self, x, y: self.loss(self.a(x), y), a=lin(), loss=nn.CrossEntropyLoss()),
        Level("in:x in:y a#0 loss#0 out:0", chain("in:x", "a#0", "loss#0", "out:0") | dashed("in:y", "loss#0")),
        inputs=lambda: (rand(), torch.tensor([0, 3])),
    ),
]
