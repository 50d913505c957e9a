"""The zoo: small models that carry their exact module graph."""
