#!/bin/sh
# What you measured, as one file: for people and for programs. The ending chooses the format.
threadping runs list
threadping report last -o report.html
threadping runs export last rows.json
