"""The studies: each a room with its cases, its schedule, its method and its sheets."""
