#!/bin/sh
# The latency of a queue: one message at a time. Then its percentiles, and why the slowest were slow.
threadping run queue --depth 1 --mechanism sequenced-ring --runtime cpp --budget 10s
threadping show last --percentiles
threadping show last --outliers
