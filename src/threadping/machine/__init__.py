"""The machine: where threads can stand, what it is, and what speaks against measuring on it as it is."""
