package threadping.probe.crew;

/** When each of some operations began and ended, by System.nanoTime. */
public final class Timings {
  /** Where there is no such time, neither is: an operation that was not timed. */
  private static final long NONE = 0;

  public final long[] fromNs;
  public final long[] toNs;

  /** How many there are, those that were left out among them. */
  private int size;

  /** With room for so many operations. */
  public Timings(int room) {
    fromNs = new long[room];
    toNs = new long[room];
  }

  /** They are set in order: what was timed before goes on until {@link #clear}. */
  public void set(int operation, long from, long to) {
    fromNs[operation] = from;
    toNs[operation] = to;
    size = operation + 1;
  }

  /** One more. */
  public void add(long from, long to) {
    set(size, from, to);
  }

  public int size() {
    return size;
  }

  /** How many there can be. */
  public int room() {
    return toNs.length;
  }

  void clear() {
    size = 0;
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
    size = count;
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
