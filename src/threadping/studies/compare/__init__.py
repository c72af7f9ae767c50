"""Say whether B is slower than A: measured in turn, until it is decided."""
