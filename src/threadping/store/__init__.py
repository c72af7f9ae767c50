"""The runs: every trial is committed as it ends, so that whatever ends threadping, what was measured stays.

`open_store` is the way in. SQLAlchemy takes a sixth of a second to import, so nothing here imports it before a store
is opened: `threadping --help` must not wait for it.
"""

from typing import TYPE_CHECKING, Any

from threadping.store.owner import owner_of_this_process

if TYPE_CHECKING:
    from threadping.store.store import Store

__all__ = ["Store", "open_store", "owner_of_this_process"]


def open_store(location: str | None, *, create: bool = True) -> "Store":
    """Open the store at a path or SQLAlchemy URL; None is `THREADPING_STORE`, or else the person's own.

    `create` opens it to be written: folders and file are made, and a store that cannot be written is refused now,
    before anything is measured. Without it nothing is made, and a read-only store will do.
    An older store is brought up to date either way.

    Raises `UsageError` for a location that can never be a store, `StoreMissing` for one where none is (only without
    `create`), and `StoreReadOnly`, `StoreFull`, `StoreCorrupt`, `StoreTooNew` or `StoreError` for what their names say.
    """
    from threadping.store.opening import open_at

    return open_at(location, create=create)


def __getattr__(name: str) -> Any:
    """Import `Store` when it is first asked for."""
    if name == "Store":
        from threadping.store.store import Store

        return Store
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
