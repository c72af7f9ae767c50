"""The stored runs: every trial is committed as it ends, so that what was measured stays, however threadping ends."""
