"""The stored runs: every trial is committed as it ends, so that what was measured stays, however threadping ends."""

from threadping.store.database import open_store
from threadping.store.store import Store

__all__ = ["Store", "open_store"]
