"""The stored runs: every trial is committed as it ends, so that what was measured stays, however threadping ends."""

from threadping.store.store import Store, open_store

__all__ = ["Store", "open_store"]
