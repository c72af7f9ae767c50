"""The stored runs: every trial is committed as it ends, so that whatever ends threadping, what was measured stays.

`open_store` is the way in. SQLAlchemy takes a sixth of a second to import, so nothing here imports it before a store
is opened: `threadping --help` must not wait for it.
"""

from typing import TYPE_CHECKING, Any

from threadping.store.owner import owner_of_this_process

if TYPE_CHECKING:
    from threadping.store.store import Store

__all__ = ["Store", "open_store", "owner_of_this_process"]


def open_store(location: str | None, *, create: bool = True) -> "Store":
    """Open the store at a path or SQLAlchemy URL; None is `THREADPING_STORE`, or else the user's own.

    With `create` the store can be written, and is made where there is none: one that cannot be written is refused now,
    before anything is measured. Only the folders of the user's own store are made. Without `create` nothing is made or
    changed, and a read-only store will do.

    Raises `UsageError` for a location that can never be a store, `StoreMissing` for one where none is (only without
    `create`), and `StoreReadOnly`, `StoreFull`, `StoreCorrupt`, `StoreOtherVersion` or `StoreError` for what their
    names say.
    """
    from threadping.store.database import open_at

    return open_at(location, create=create)


def __getattr__(name: str) -> Any:
    if name != "Store":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from threadping.store.store import Store

    return Store
