package threadping.probe.signal;

import threadping.probe.message.Request;

/**
 * Rounds made of short visits, so that the timed loop is compiled as a method.
 *
 * <p>Visits double in length until they take a millisecond, so that even a pair that needs a time
 * slice for each hand-over is noticed at once; one long visit proves nothing, as the first may have
 * waited for pong to be let onto its CPU. Before that they stay short for a while, because the
 * virtual machine compiles a method for good after so many calls, not after so many turns of its
 * loops: with long visits only, every one would begin in slow code and be replaced under way (OSR).
 */
final class ShortRounds extends WarmUp {
  /** C1 compiles after 200 calls (Tier3InvocationThreshold; HotSpot's compilationPolicy.cpp). */
  private static final int VISITS_FOR_C1 = 250;

  private static final int BLOCK_FOR_C1 = 1;

  /**
   * C2 compiles after 600 more calls, once these and the loops' turns are 15,000 together
   * (Tier4MinInvocationThreshold, Tier4CompileThreshold). A visit around a block of 16 turns 22
   * times; and 40,000 turns, which would ask for OSR (Tier4BackEdgeThreshold), are not reached.
   */
  private static final int VISITS_FOR_C2 = 900;

  private static final int BLOCK_FOR_C2 = 16;

  private static final int LONG_VISITS_AS_PROOF = 2;

  private final long wanted;
  private Visit visit = Visit.of(BLOCK_FOR_C1);
  private int longVisits;
  private boolean calibrated;
  private int visits;

  ShortRounds(Request request) {
    super(request);
    this.wanted = request.warmupRounds * request.warmupOps;
  }

  @Override
  Visit visit() {
    return visit;
  }

  @Override
  boolean goesOn(long ops, long ns) {
    return !calibrated || ops < wanted && ns < request.warmupLimitNs;
  }

  @Override
  boolean isComplete(long ops) {
    return ops >= wanted;
  }

  @Override
  boolean isCompilerDue() {
    return visits == VISITS_FOR_C1 || visits == VISITS_FOR_C1 + VISITS_FOR_C2;
  }

  @Override
  void plan(long visitNs, long ops, long ns) {
    visits++;
    boolean isLong = visitNs >= LONG_VISIT_NS;
    longVisits += isLong ? 1 : 0;
    calibrated =
        calibrated || longVisits == LONG_VISITS_AS_PROOF || visit.block == Visit.MOST_ROUND_TRIPS;
    if (!isLong) {
      visit = Visit.of(Math.min(2 * visit.block, longestBlock(ops, ns)));
    }
  }

  private int longestBlock(long ops, long ns) {
    boolean isHalfOver = ops >= wanted / 2 || ns >= request.warmupLimitNs / 2;
    if (isHalfOver || visits >= VISITS_FOR_C1 + VISITS_FOR_C2) {
      return Visit.MOST_ROUND_TRIPS;
    }
    return visits >= VISITS_FOR_C1 ? BLOCK_FOR_C2 : BLOCK_FOR_C1;
  }
}
