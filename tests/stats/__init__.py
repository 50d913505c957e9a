"""Tests of torchexplorer.stats."""
