"""What gathering, judging and reporting a fleet costs: fake hosts, each a worker of Dask's in this process."""
