package threadping.probe.engine;

import threadping.probe.platform.LinePair;

/**
 * The last sampling window, for whoever times while somebody else opens and closes it. All workers
 * take up another order between two windows: what they timed is judged at latest before the next
 * one opens.
 */
final class Gate extends LinePair {
  private static final long NOT_YET = Long.MAX_VALUE;

  /** What became of an operation that was timed. */
  enum Place {
    INSIDE,

    /** It overlapped the window, but did not begin and end inside it. */
    CUT,

    OUTSIDE
  }

  private volatile long openedNs = NOT_YET;
  private volatile long closedNs;

  /**
   * In this order: whoever sees that it is not closed sees when it was opened. One who still sees
   * the window before finds that nothing of what it judges was in it.
   */
  void open(long nowNs) {
    openedNs = nowNs;
    closedNs = NOT_YET;
  }

  void close(long nowNs) {
    closedNs = nowNs;
  }

  /** There was no window yet. */
  void forget() {
    closedNs = 0;
    openedNs = NOT_YET;
  }

  boolean isOpen() {
    return closedNs == NOT_YET;
  }

  /** Where an operation was that has just ended. */
  Place of(long fromNs, long toNs) {
    long closed = closedNs; // first: see open()
    long opened = openedNs;
    if (fromNs >= opened && toNs <= closed) {
      return Place.INSIDE;
    }
    return fromNs < closed && toNs > opened ? Place.CUT : Place.OUTSIDE;
  }
}
