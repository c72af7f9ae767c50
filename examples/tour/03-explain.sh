#!/bin/sh
# Every word of the output has an explanation: a statistic, a mechanism, a warning.
# With a run, the explanation has that run's numbers.
threadping explain p99
threadping explain release-one-line
threadping explain not-measured last
