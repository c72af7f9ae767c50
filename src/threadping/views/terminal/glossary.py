"""Words that outputs print and no experiment declares, a sentence each."""

WORDS = {
    # a run and its parts
    "run": "A plan carried out on one machine and stored under a number: `threadping list` has them.",
    "case": "What one row is about: a mechanism with its parameters, a runtime, and a placement of the threads.",
    "trial": "One case measured once, in a fresh process. Each counts the same.",
    "round": "Every case measured once, in random order.",
    "1 trial": "The row is of one trial: there is nothing to tell how far another one would be from it.",
    "2 trials": "The row is of two trials: too few for a range or an interval.",
    "seed": "From it the order of the trials follows: the same seed makes the same plan.",
    "took": "How long a trial took, with the start of its process.",
    "warm-up": "What runs before anything is recorded: `steady` until the pace no longer changes, `10x100k` ten "
    "rounds of 100,000 operations.",
    "steady": "The pace of a trial no longer changes; it is measured, never assumed.",
    "complete": "The run carried out its plan.",
    "running": "The run has not ended yet.",
    "interrupted": "The run was stopped before its end; what was measured until then counts.",
    "failed": "A trial, or a run, that ended without a figure; the sentence beside it says why.",
    "#": "The row's number, by which other lines name it; ! and \N{BALLOT X} stand beside it where something is wrong.",
    "mechanism": "A way to tell, hand over, or exclude: `threadping mechanisms` has them all.",
    "runtime": "A probe as launched: `cpp`, `java-17`, or one of these with flags.",
    "runtimes": "The probes that were launched, with their versions.",
    "threads": "How many threads take part.",
    "pairs": "How many notifiers there are, each with a waiter of its own.",
    # figures
    "median": "The middle value: as many are below it as above. Of a row it is the median of its trials' figures.",
    "mean": "The sum divided by the number, nothing left out.",
    "range": "From the least to the most of three to five trials, in brackets: too few for a 95% interval.",
    "95% interval": "Where the median would be, with 95% confidence, if there were many more trials: the sign test's, "
    "interpolated; from six trials on. `ci95` in JSON.",
    "ratio": "How many times the first line of the same experiment, of one runtime.",
    "samples": "How many operations were timed one by one. A percentile is shown if ten of them lie beyond it.",
    "throughput window": "A stretch of a trial in which nobody reads a clock: rates and medians are from these.",
    "sampling window": "A stretch of a trial in which some operations are timed one by one, for percentiles.",
    # the machine
    "machine": "What the figures were measured on: host, CPUs, kernel, and how these are set.",
    "core to core": "How long one CPU takes to see what another has written, one way: the reference ping.",
    "reference ping": "A `cas-one-line` of 5 ms between two CPUs, between trials: how far they are from each "
    "other just then. One way, half a round trip.",
    "state": "Reference pings that belong together: the machine as it was for a while. Hypervisors move virtual CPUs, "
    "so that the same two may be 26 ns from each other now and 127 ns a minute later; rows are of one state each.",
    "dwell median": "How long a state held each time, the median.",
    "of the time": "The share of a state in the time in which the two CPUs were watched.",
    "times held": "How often the CPUs were in a state.",
    "placement": "Where the threads stand: the closest thing that their CPUs share, as the system says.",
    "same-cpu": "All threads on one CPU: they take turns.",
    "smt": "Two hardware threads of one core.",
    "same-l2": "Different cores that share a level-2 cache.",
    "same-l3": "Different cores that share the last-level cache.",
    "same-node": "CPUs on one NUMA node that share no cache.",
    "cross-node": "CPUs on different NUMA nodes.",
    "unpinned": "Threads without a CPU of their own: the scheduler puts them where it likes.",
    "process": "All threads may use all of these CPUs, as under taskset; none has one of its own.",
    "home": "The thread, or the node, that made and first touched the memory in between.",
    "KVM": "The hypervisor: this is a virtual machine.",
    "clock source": "By what the kernel tells the time; anything but tsc makes a clock reading a system call.",
    "governor": "How the kernel sets the CPUs' frequency; with anything but performance figures wander.",
    "a clock reading": "What reading the clock once costs. It is subtracted from nothing.",
    # warnings and outliers
    "error": "\N{BALLOT X}: the figure is not what it is called, or there is none.",
    "warning": "!: something changed this figure, by a test.",
    "note": "i: what must be known to read the figure.",
    "outliers": "Operations that took ten times a trial's median or more, and at least 5 \N{MICRO SIGN}s.",
    "cause": "Why an outlier took so long, by what the kernel and the runtime counted around it; claimed only where it "
    "makes up half of it.",
    "share": "Of the whole: of outliers, of operations, of the time.",
    "time": "How long the outliers of a cause took in all.",
    "in": "The row with the worst outlier of this cause.",
    "worst": "The longest outlier of a cause, or the case of which the most is said.",
    # names that others use
    "synchronized": "Java's keyword; the mechanism is called `monitor`.",
    "ReentrantLock": "Of java.util.concurrent; the mechanism is called `reentrant-lock`.",
}
