"""What was asked, what this machine and its probes offer: the cases that follow from both, in layers."""
