package threadping.probe.lock.mechanisms;

/**
 * As single-writer-release, but the counters stand side by side: eight threads share a line of 64
 * bytes although none reads what another writes.
 */
final class FalseSharing extends OwnCounters {
  FalseSharing() {
    super(
        "false-sharing",
        "Each thread adds to a counter of its own, side by side with the others' in one line.",
        "The line travels although nothing is shared: pad what different threads write.",
        Long.BYTES);
  }
}
