"""Models of well-known families as their packages define them: every call seen, nothing changed, gradients right."""
