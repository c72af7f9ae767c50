"""Check that our runs agree, or say why not, alternating with another tool on the same two CPUs."""
