package threadping.probe.signal;

/**
 * Arithmetic of the protocols with one counter for each side. Ping's turns are even, pong's odd:
 * before turn {@code expected} a side has taken expected / 2 turns, and the other side as many, or
 * one more if it is pong's turn.
 */
final class TwoCounters {
  private TwoCounters() {}

  /** The other side's counter when it is time for turn {@code expected}. */
  static long theirs(long expected) {
    return (expected + 1) >>> 1;
  }

  /** A side's own counter after its turn {@code expected}. */
  static long after(long expected) {
    return (expected >>> 1) + 1;
  }

  /**
   * The hand-overs that have happened when turn {@code expected} finds the other at {@code theirs}.
   */
  static long handOvers(long expected, long theirs) {
    return theirs >= Cells.POISON ? theirs : 2 * theirs - (expected & 1);
  }
}
