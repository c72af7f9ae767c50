"""Where the store lies when nobody says otherwise."""

import os


def default_location() -> str:
    """Return the path of the user's own store, in the platform's folder for user data."""
    from platformdirs import user_data_path  # 15 ms that a store named by the person does not wait for

    return str(user_data_path("threadping", appauthor=False) / "runs.sqlite3")


def chosen_location(location: str | None) -> str:
    """Return what was named, or else `THREADPING_STORE`, or else the default; an empty variable counts as unset."""
    if location is not None:
        return location
    return os.environ.get("THREADPING_STORE") or default_location()
