#!/bin/sh
# How far apart are two CPUs? One way, half a round trip of a cache line, five times.
# On a virtual machine the distance may change from one second to the next.
threadping ping 0,1 -c 5
