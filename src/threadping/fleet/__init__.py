"""Many hosts: Dask distributed finds them, starts a threadping on each, and brings its run back."""
