"""The studies: each a package with its cases, its schedule, its method and its sheets."""
