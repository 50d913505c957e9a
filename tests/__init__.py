"""The tests; a package so that they can share small models and readings."""
