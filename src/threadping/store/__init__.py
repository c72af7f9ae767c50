"""The stored runs: every trial is committed as it ends, so that what was measured stays, however threadping ends.

SQLAlchemy takes a sixth of a second to import: only a command that opens a store imports this.
"""

from threadping.store.database import open_store
from threadping.store.records import owner_of_this_process
from threadping.store.store import Store

__all__ = ["Store", "open_store", "owner_of_this_process"]
