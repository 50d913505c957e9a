"""Tests of the backend "wandb"."""
