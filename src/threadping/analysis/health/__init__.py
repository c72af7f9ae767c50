"""The health of a machine: effects that were measured, limits, and findings."""
