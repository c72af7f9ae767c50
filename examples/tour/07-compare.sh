#!/bin/sh
# Is B slower than A? Both are measured alternately, until it is known.
# The exit code is the answer: 0 no, 3 yes. With --strict, 4 means that it cannot tell.
threadping compare signal cas-one-line,release-one-line --runtime cpp --budget 15s
echo "exit code $?"
