package threadping.probe.engine;

/** How long things are to take, reckoned from how long they took. */
final class Pace {
  static final int LONGEST_CHUNK = 4096;

  private static final int FASTEST_GROWTH = 8;
  private static final int MOST_SELDOM = 1024;
  private static final int LARGEST_STEP = 4;

  private Pace() {}

  /**
   * What an operation takes the thread that performs it, its wait included: {@code ops} of all
   * threads in {@code ns}, while so many threads ran at once.
   */
  static double operationNs(long ns, long ops, int running) {
    return (double) ns * running / Math.max(ops, 1);
  }

  /**
   * As many operations as take about as long as a chunk is to be: short beside a window, long
   * beside a look at the orders. Grows eightfold at most, because a pace that was seen while
   * threads were still arriving is not theirs.
   */
  static int nextChunk(double operationNs, int chunk, long chunkNs) {
    double wanted = Math.max(chunkNs / Math.max(operationNs, 1), 1);
    return (int) Math.min(wanted, Math.min(FASTEST_GROWTH * chunk, LONGEST_CHUNK));
  }

  /**
   * One operation in how many is timed, before any was: the fewest, a power of two up to 1024,
   * beside which two readings of the clock take at most the share.
   */
  static int every(double operationNs, double clockNs, double share) {
    return atLeast(2 * clockNs / (share * Math.max(operationNs, 1)));
  }

  /**
   * The same after a window in which whoever read the clock most spent such a share of its time on
   * it. A step is fourfold at most.
   */
  static int nextEvery(int every, double spent, double share) {
    int wanted = atLeast(every * spent / share);
    return Math.min(
        MOST_SELDOM,
        Math.max(1, Math.max(every / LARGEST_STEP, Math.min(wanted, LARGEST_STEP * every))));
  }

  private static int atLeast(double least) {
    int every = 1;
    while (every < least && every < MOST_SELDOM) {
      every *= 2;
    }
    return every;
  }
}
