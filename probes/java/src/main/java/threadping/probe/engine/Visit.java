package threadping.probe.engine;

import threadping.probe.contract.Request;

/**
 * How many operations of each thread a visit to a line takes, in this order.
 *
 * @param leadIn uncounted: brings the line and the others in. At least 1: an operation starts at
 *     another's
 * @param throughput timed as a whole
 * @param sampling timed one by one
 */
record Visit(int leadIn, int throughput, int sampling) {
  private static final int MOST_THROUGHPUT = 1 << 29;
  private static final int MOST_SAMPLING = 1 << 20;

  /** One around a throughput window of so many, with samples in the proportion that is wanted. */
  static Visit of(double throughput, Request.Windows windows) {
    int block =
        (int) Math.max(1, Math.min(throughput, Math.min(windows.throughput, MOST_THROUGHPUT)));
    double sampling = (double) block * windows.sampling / windows.throughput;
    return new Visit(
        Math.max(1, block / 64), block, (int) Math.max(1, Math.min(sampling, MOST_SAMPLING)));
  }

  /**
   * The visit for a trial in which an operation of each thread takes {@code operationNs}: with the
   * largest throughput window for which the measuring time suffices for as many visits to every
   * line as the request wants (five: a line's median then survives two disturbed ones) and twice as
   * many in all. It is 1 for two spinning threads on one CPU, where an operation takes a time
   * slice.
   */
  static Visit fitted(Request request, double operationNs) {
    double around = 1.5; // lead-in and samples come on top
    double ops = request.measureNs / Math.max(operationNs, 1.0);
    double visits = (double) request.windows.visits * Math.max(request.lines, 2);
    return of(ops / (visits * around), request.windows);
  }

  int ops() {
    return leadIn + throughput + sampling;
  }
}
