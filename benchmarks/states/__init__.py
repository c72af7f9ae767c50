"""Whether runs of ours agree, or say why not, while another tool measures the same two CPUs in turn."""
