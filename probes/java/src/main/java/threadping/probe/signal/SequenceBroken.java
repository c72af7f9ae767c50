package threadping.probe.signal;

import threadping.probe.Failure;
import threadping.probe.signal.mechanisms.Cells;

/** A hand-over was lost, doubled or reordered. */
final class SequenceBroken extends Failure {
  private static final long serialVersionUID = 1L;

  private SequenceBroken(long expected, long seen) {
    super(
        Code.SEQUENCE_BROKEN,
        "Hand-over " + expected + " was due, but " + seen + " was there: one was lost or doubled.");
  }

  /**
   * Whether {@code seen} is what was expected; throws unless it is that or the cell was stopped.
   */
  static boolean isWhole(long expected, long seen) {
    if (seen != expected && seen < Cells.POISON) {
      throw new SequenceBroken(expected, seen);
    }
    return seen == expected;
  }
}
