package threadping.probe.lock.mechanisms;

import threadping.probe.platform.Lines;

/**
 * Each thread counts on a line of its own (the Single Writer Principle, Mechanical Sympathy, 2011);
 * who wants the sum adds them up.
 */
final class SingleWriterRelease extends OwnCounters {
  SingleWriterRelease() {
    super(
        "single-writer-release",
        "Each thread adds to a counter of its own, on a line of its own; a reader sums them up.",
        "Nothing is shared, so it scales with the CPUs; the sum is the reader's work.",
        Lines.LINE_PAIR);
  }
}
