"""Tests of the rows and of the chart."""
