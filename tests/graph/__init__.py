"""Tests of the floor graph."""
