"""What a page of stored runs costs: to write, to store, to send, to open and to import."""
