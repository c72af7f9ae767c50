"""Every pair of CPUs: what was measured between them, which groups they fall into, and what the system says. Pure."""
