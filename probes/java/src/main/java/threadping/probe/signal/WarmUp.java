package threadping.probe.signal;

import threadping.probe.message.Request;

/**
 * Decides how long the visits of the warm-up are, and what it learned for the measuring ones.
 *
 * <p>Visits double in length until one takes a millisecond, so that even a pair that needs a time
 * slice for each hand-over is noticed at once. Before that they stay short for a while, because the
 * virtual machine compiles a method for good after so many calls, not after so many turns of its
 * loops: with long visits only, every one would begin in slow code and be replaced under way (OSR).
 */
final class WarmUp {
  private static final long LONG_VISIT_NS = 1_000_000;

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

  private final Request request;
  private final long wanted;
  private Visit visit = Visit.of(BLOCK_FOR_C1);
  private boolean calibrated;
  private int visits;
  private double quickestNs = Double.MAX_VALUE;

  WarmUp(Request request) {
    this.request = request;
    this.wanted = request.warmupRounds * request.warmupOps;
  }

  /** The visit to make next. */
  Visit visit() {
    return visit;
  }

  boolean goesOn(long ops, long ns) {
    return !calibrated || ops < wanted && ns < request.warmupLimitNs;
  }

  boolean isComplete(long ops) {
    return ops >= wanted;
  }

  /** Whether the compiler has just been given enough to do, so that it is worth waiting for. */
  boolean isCompilerDue() {
    return visits == VISITS_FOR_C1 || visits == VISITS_FOR_C1 + VISITS_FOR_C2;
  }

  /** The visit took so long; so many hand-overs and nanoseconds have passed in all. */
  void took(long visitNs, long ops, long ns) {
    visits++;
    quickestNs = Math.min(quickestNs, (double) visitNs / visit.turns());
    boolean isLong = visitNs >= LONG_VISIT_NS;
    calibrated = calibrated || isLong || visit.block == Visit.MOST_ROUND_TRIPS;
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

  /** The visit to measure with. The quickest round trip counts: a slower one was disturbed. */
  Visit calibrated(int mostSingles) {
    return Visit.calibrated(request.measureNs, quickestNs, request.lines, mostSingles);
  }
}
