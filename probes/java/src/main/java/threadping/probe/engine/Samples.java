package threadping.probe.engine;

import threadping.probe.platform.LinePair;

/**
 * Where a thread's player leaves what it times. In the loop it is a store into an array that was
 * made beforehand; what becomes of it, and whether it counts, is decided between two runs.
 */
public abstract class Samples extends LinePair {
  private static final int MOST_TALLIES = 2;

  final long[] fromNs;
  final long[] toNs;
  int added;

  final long[] numbers;
  final int[] numberIndex;
  int numbered;

  final long[] made = new long[MOST_TALLIES];
  final long[] found = new long[MOST_TALLIES];

  long readings;
  boolean othersWait;
  boolean isSampling;

  /** Holds {@code capacity} of each kind between two runs. */
  Samples(int capacity) {
    fromNs = new long[capacity];
    toNs = new long[capacity];
    numbers = new long[capacity];
    numberIndex = new int[capacity];
  }

  /** A duration. Of two CPUs' clocks the end may be before the beginning. */
  public final void add(long from, long to) {
    if (added == fromNs.length) {
      settle();
    }
    fromNs[added] = from;
    toNs[added] = to;
    added++;
  }

  /** One of what its role names by this index; recorded in sampling windows. */
  public final void number(int index, long value) {
    if (!isSampling) {
      return;
    }
    if (numbered == numbers.length) {
      settle();
    }
    numberIndex[numbered] = index;
    numbers[numbered] = value;
    numbered++;
  }

  /** Adds to a pair of counts that its role names, which is of sampling windows. */
  public final void tally(int index, long more, long moreFound) {
    if (isSampling) {
      made[index] += more;
      found[index] += moreFound;
    }
  }

  /** Reports how many operations of this run are completed: for steps of many that take long. */
  public abstract void progress(long done);

  /**
   * The same, by a run that goes on from order to order, as of a thread that a pool has: what is
   * ordered meanwhile is taken up.
   */
  public void goOn(long done) {
    progress(done);
  }

  /**
   * Reports how many readings of the clock were made, whatever became of them: they decide how many
   * operations are timed.
   */
  public final void readClock(int times) {
    readings += times;
  }

  /**
   * Something is about to be timed, after a pause that no reading at hand shows: looks, if the
   * budget has a look.
   */
  public abstract void aboutToTime();

  /** Whether others queue behind this thread: then nobody looks, since all of them would wait. */
  public final void othersWait(boolean wait) {
    othersWait = wait;
  }

  /** Takes what was added, so that there are free places. */
  abstract void settle();
}
