"""Tests of torchexplorer.layout."""
