"""Custom mechanisms: their sources, and how they are compiled and kept."""
