"""Cases that repeat what others define, an article or a tool: as data, as this machine has them, as a run has them."""
