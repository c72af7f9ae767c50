"""The commands that measure experiments in rounds: `run`, and one for each."""

from threadping.experiments import EXPERIMENTS
from threadping.options.shared import measuring

RUN, EACH = measuring("run"), [measuring(name) for name in EXPERIMENTS]
