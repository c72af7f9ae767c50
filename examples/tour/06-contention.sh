#!/bin/sh
# What does a second thread do to a lock? Throughput, and how evenly the threads share it.
threadping run lock --mechanism mutex,ticket-lock --threads 1,2 --runtime cpp --budget 15s
