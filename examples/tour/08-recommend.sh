#!/bin/sh
# The cheapest wait strategy whose p99 is below 50 us at 10,000 messages a second, for at most half a core.
threadping recommend wait --rate 10k --latency p99=50us --max-cpu 50% --runtime cpp --budget 20s
