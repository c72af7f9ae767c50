"""queue: does our engine stream messages as fast as a hand-written baseline around the same queue?"""
