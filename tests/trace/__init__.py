"""Tests of the floor trace."""
