package threadping.probe.crew;

import threadping.probe.message.Request;

/** How many operations of each thread a visit to a line takes, in this order. */
final class Visit {
  private static final int MOST_PLAIN = 1 << 29;
  private static final int MOST_TIMED = 1 << 20;

  /** Uncounted: brings the line and the others in. At least 1: an operation starts at another's. */
  final int leadIn;

  /** Timed as a whole. */
  final int plain;

  /** Timed one by one. */
  final int timed;

  Visit(int leadIn, int plain, int timed) {
    this.leadIn = leadIn;
    this.plain = plain;
    this.timed = timed;
  }

  /** One around a plain window of so many, with timed ones in the proportion that is wanted. */
  static Visit of(double plain, Request.Windows windows) {
    int block = (int) Math.max(1, Math.min(plain, Math.min(windows.plain, MOST_PLAIN)));
    double timed = (double) block * windows.timed / windows.plain;
    return new Visit(
        Math.max(1, block / 64), block, (int) Math.max(1, Math.min(timed, MOST_TIMED)));
  }

  /**
   * The visit for a trial in which an operation of each thread takes {@code operationNs}: with the
   * largest plain window for which the measuring time suffices for as many visits to every line as
   * the request wants (five: a line's median then survives two disturbed ones) and twice as many in
   * all. It is 1 for two spinning threads on one CPU, where an operation takes a time slice.
   */
  static Visit fitted(Request request, double operationNs) {
    double around = 1.5; // lead-in and timed operations come on top of the plain ones
    double ops = request.measureNs / Math.max(operationNs, 1.0);
    double visits = (double) request.windows.visits * Math.max(request.lines, 2);
    return of(ops / (visits * around), request.windows);
  }

  int ops() {
    return leadIn + plain + timed;
  }
}
