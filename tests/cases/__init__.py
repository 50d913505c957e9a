"""One test for each kind of input that users reported against a watcher of PyTorch models, grouped by theme."""
