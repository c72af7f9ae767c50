#!/bin/sh
# What does a spinning thread pay for PAUSE, or for yielding? Values with a comma are measured both.
# --cpus has one CPU for each thread.
threadping run signal --mechanism release-one-line --wait spin,pause,yield --cpus 0,1 --runtime cpp --budget 10s
