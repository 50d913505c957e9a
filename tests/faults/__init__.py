"""Tests of what happens when something fails: our own code, the user's code, a key pressed."""
