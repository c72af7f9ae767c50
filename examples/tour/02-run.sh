#!/bin/sh
# The overview: signals, locks, wake-ups, queues and barriers, in C++ and Java.
# First print the cases and the time, and measure nothing; then measure for 30 seconds.
threadping run --plan
threadping run --budget 30s
