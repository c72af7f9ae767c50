package threadping.probe.crew;

/** When each of some operations began and ended, by System.nanoTime. */
public final class Timings {
  /** Where there is no such time, neither is: an operation that was not timed. */
  private static final long NONE = 0;

  public final long[] fromNs;
  public final long[] toNs;

  /** With room for so many operations. */
  public Timings(int room) {
    fromNs = new long[room];
    toNs = new long[room];
  }

  public void set(int operation, long from, long to) {
    fromNs[operation] = from;
    toNs[operation] = to;
  }

  /** Nothing is to be recorded of this one. */
  public void leaveOut(int operation) {
    set(operation, NONE, NONE);
  }

  /**
   * So many operations are a chain, of which only the ends were stored, so that its loop holds
   * little: each began where the one before ended, the first here.
   */
  public void chain(long openedNs, int count) {
    if (count > 0) {
      fromNs[0] = openedNs;
      System.arraycopy(toNs, 0, fromNs, 1, count - 1);
    }
  }

  boolean wasLeftOut(int operation) {
    return toNs[operation] == NONE;
  }

  long ns(int operation) {
    return toNs[operation] - fromNs[operation];
  }
}
