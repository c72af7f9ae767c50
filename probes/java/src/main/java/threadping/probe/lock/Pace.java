package threadping.probe.lock;

/** How long things are to take, reckoned from how long they took. */
final class Pace {
  static final int LONGEST_CHUNK = 4096;

  private static final double CHUNK_NS = 20_000;
  private static final int FASTEST_GROWTH = 8;
  private static final int MOST_SELDOM = 1024;
  private static final double MOST_COST = 0.02;

  private Pace() {}

  /** How many rounds of all threads it takes until each has had a CPU: 1 where each has its own. */
  static int crowding(int threads, int cpus) {
    return (threads + cpus - 1) / cpus;
  }

  /**
   * What an operation takes the thread that performs it, its wait included: {@code ops} of all
   * threads in {@code ns}, while so many threads ran at once.
   */
  static double operationNs(long ns, long ops, int running) {
    return (double) ns * running / Math.max(ops, 1);
  }

  /**
   * As many operations as take about twenty microseconds: short beside a window, long beside a look
   * at the order. Grows eightfold at most, because a pace that was seen while threads were still
   * arriving is not theirs.
   */
  static int nextChunk(double operationNs, int chunk) {
    int wanted = (int) Math.max(CHUNK_NS / Math.max(operationNs, 1), 1);
    return Math.min(Math.min(wanted, FASTEST_GROWTH * chunk), LONGEST_CHUNK);
  }

  /**
   * One operation in how many is timed: the fewest, a power of two up to 1024, beside which two
   * readings of the clock are at most a fiftieth.
   */
  static int every(double operationNs, double clockNs) {
    double least = 2 * clockNs / (MOST_COST * Math.max(operationNs, 1));
    int every = 1;
    while (every < least && every < MOST_SELDOM) {
      every *= 2;
    }
    return every;
  }
}
