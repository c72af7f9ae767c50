#!/bin/sh
# Your own queue: write one to begin with, then compile, check and measure it next to one of ours. It needs g++.
threadping new queue my_queue
threadping run queue --mechanism ./my_queue.hpp,sequenced-ring --runtime cpp --budget 15s
