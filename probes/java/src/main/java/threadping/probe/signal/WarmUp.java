package threadping.probe.signal;

import threadping.probe.message.Request;

/**
 * Decides how long the visits of the warm-up are, and knows what they taught about the measuring
 * ones.
 */
abstract class WarmUp {
  /** A visit that takes so long says how long a round trip takes. */
  static final long LONG_VISIT_NS = 1_000_000;

  /** Up to so many operations a round is made of short visits (contract/request.schema.json). */
  private static final long MOST_OPS_OF_SHORT_ROUNDS = 100_000;

  final Request request;
  private double quickestNs = Double.MAX_VALUE;

  WarmUp(Request request) {
    this.request = request;
  }

  static WarmUp of(Request request) {
    return request.warmupOps <= MOST_OPS_OF_SHORT_ROUNDS
        ? new ShortRounds(request)
        : new LongRounds(request);
  }

  /** The visit to make next. */
  abstract Visit visit();

  /** Whether to make it, when so many hand-overs and nanoseconds have passed in all. */
  abstract boolean goesOn(long ops, long ns);

  abstract boolean isComplete(long ops);

  /** Whether the compiler has just been given enough to do, so that it is worth waiting for. */
  abstract boolean isCompilerDue();

  /** The visit took so long; so many hand-overs and nanoseconds have passed in all. */
  final void took(long visitNs, long ops, long ns) {
    quickestNs = Math.min(quickestNs, (double) visitNs / visit().turns());
    plan(visitNs, ops, ns);
  }

  abstract void plan(long visitNs, long ops, long ns);

  /** The visit to measure with. The quickest round trip counts: a slower one was disturbed. */
  final Visit calibrated(int mostSingles) {
    return Visit.calibrated(request.measureNs, quickestNs, request.lines, mostSingles);
  }
}
