"""Trials become observations, observations rows, rows verdicts. Numbers in, numbers out: no printing, no storage."""
