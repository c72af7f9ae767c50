"""Cost of gathering, judging and reporting a fleet of fake hosts, each a Dask worker in this process."""
