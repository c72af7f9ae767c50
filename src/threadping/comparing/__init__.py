"""Whether a host of a fleet is like the others. Pure."""
