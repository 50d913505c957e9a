"""Random module trees whose edges are known from how they were made."""
