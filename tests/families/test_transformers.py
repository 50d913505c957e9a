"""Models of the transformers package, tiny and with random weights."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import nn

from tests.families.family import Family, Mode
from tests.families.harness import cases, check

hf: Any = pytest.importorskip(
    "transformers", reason="transformers is not installed: pip install '.[test]'", exc_type=ImportError
)

SIZES: dict[str, Any] = {
    "vocab_size": 60,
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "max_position_embeddings": 32,
    "pad_token_id": 0,
}
PICTURES: dict[str, Any] = {
    "hidden_size": 16,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 32,
    "image_size": 32,
    "patch_size": 8,
}


def words() -> dict[str, Any]:
    ids = torch.randint(5, 50, (2, 7))
    mask = torch.ones(2, 7, dtype=torch.long)
    mask[0, 5:] = 0
    return {"input_ids": ids, "attention_mask": mask, "labels": ids}


def picture() -> dict[str, Any]:
    return {"pixel_values": torch.randn(2, 3, 32, 32)}


def words_and_pictures() -> dict[str, Any]:
    ids = torch.randint(5, 50, (2, 7))
    ids[:, -1] = 49
    return {**picture(), "input_ids": ids, "return_loss": True}


def sound() -> dict[str, Any]:
    return {"input_features": torch.randn(2, 8, 40), "labels": torch.randint(5, 50, (2, 7))}


def bert() -> nn.Module:
    return hf.BertForMaskedLM(hf.BertConfig(**SIZES))


def gpt2() -> nn.Module:
    return hf.GPT2LMHeadModel(hf.GPT2Config(vocab_size=60, n_embd=16, n_layer=2, n_head=2, n_positions=32))


def llama() -> nn.Module:
    return hf.LlamaForCausalLM(hf.LlamaConfig(**SIZES, num_key_value_heads=1))


def mixtral() -> nn.Module:
    config = hf.MixtralConfig(**SIZES, num_key_value_heads=1, num_local_experts=3, output_router_logits=True)
    return hf.MixtralForCausalLM(config)


def t5() -> nn.Module:
    sizes = {"d_model": 16, "d_kv": 8, "d_ff": 32, "num_layers": 2, "num_heads": 2}
    return hf.T5ForConditionalGeneration(hf.T5Config(vocab_size=60, **sizes, decoder_start_token_id=0))


def vit() -> nn.Module:
    return hf.ViTForImageClassification(hf.ViTConfig(**PICTURES))


def clip() -> nn.Module:
    text = {**SIZES, "projection_dim": 8, "bos_token_id": 1, "eos_token_id": 49}
    config = hf.CLIPConfig(text_config=text, vision_config={**PICTURES, "projection_dim": 8}, projection_dim=8)
    return hf.CLIPModel(config)


def whisper() -> nn.Module:
    layers = {"encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 2, "decoder_attention_heads": 2}
    sizes = {"d_model": 16, "encoder_ffn_dim": 32, "decoder_ffn_dim": 32, "num_mel_bins": 8}
    lengths = {"max_source_positions": 20, "max_target_positions": 20}
    tokens = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    config = hf.WhisperConfig(vocab_size=60, **layers, **sizes, **lengths, **tokens)
    return hf.WhisperForConditionalGeneration(config)


POSITIONS = "positions are made from arange"

FAMILIES = {
    "bert": Family(bert, keywords=words),
    "gpt2": Family(gpt2, keywords=words, sourceless={"transformer.wpe#0": POSITIONS}),
    "llama": Family(llama, keywords=words),
    "mixtral": Family(mixtral, keywords=words),
    "t5": Family(
        t5,
        keywords=words,
        sourceless={
            "*.SelfAttention.relative_attention_bias#0": POSITIONS,
            "decoder.block.0.layer.1.EncDecAttention/out:1": "zeros, in place of a bias for positions",
        },
        ungraded={"decoder.block.1 input_grad encoder_decoder_position_bias": "zeros, given out again as they are"},
        totals={"*.block.0* output_grad 1": "the bias for positions, which the attention itself uses"},
    ),
    "vit": Family(vit, keywords=picture),
    "clip": Family(clip, keywords=words_and_pictures),
    "whisper": Family(whisper, keywords=sound, sourceless={"model.encoder.embed_positions#0": POSITIONS}),
}


@cases(FAMILIES)
def test_transformers(family: Family, mode: Mode) -> None:
    check(family, mode)
