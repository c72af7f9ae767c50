"""queue: does a stream pass through our engine as quickly as through a bare loop around the same queue?"""
