package threadping.probe.signal;

import threadping.probe.message.Request;

/**
 * Rounds of one uninterrupted loop on one line, as in the published experiments: called once, the
 * loop is replaced under way (OSR). HotSpot then compiles the method around it too, by what this
 * one loop has taught it (seen with -XX:+PrintCompilation on 17 and 25), not by its calls.
 *
 * <p>What the loop may take is known from a few visits before it, each twice as long as the one
 * before, until one takes a hundredth of the limit. They are some twenty calls, a tenth of what the
 * virtual machine compiles a method after (Tier3InvocationThreshold).
 */
final class LongRounds extends WarmUp {
  private static final int LIMIT_TO_LAST_CALIBRATION = 100;

  /** A longer round is made of several loops of so many: minutes each. */
  private static final int MOST_ROUND_TRIPS = 1 << 30;

  private final long longCalibrationNs;
  private long roundsLeft;
  private long leftOfRound;
  private boolean calibrated;
  private Visit visit = Visit.uninterrupted(1);

  LongRounds(Request request) {
    super(request);
    this.longCalibrationNs =
        Math.max(LONG_VISIT_NS, request.warmupLimitNs / LIMIT_TO_LAST_CALIBRATION);
    this.roundsLeft = request.warmupRounds;
    this.leftOfRound = roundTrips();
  }

  private long roundTrips() {
    return (request.warmupOps + 1) / 2;
  }

  @Override
  Visit visit() {
    return visit;
  }

  @Override
  boolean goesOn(long ops, long ns) {
    return !calibrated || roundsLeft > 0 && ns < request.warmupLimitNs;
  }

  @Override
  boolean isComplete(long ops) {
    return roundsLeft == 0;
  }

  @Override
  boolean isCompilerDue() {
    return false;
  }

  @Override
  void plan(long visitNs, long ops, long ns) {
    if (calibrated) {
      leftOfRound -= visit.block;
      if (leftOfRound == 0) {
        roundsLeft--;
        leftOfRound = roundTrips();
      }
    }
    long most = Math.min(leftOfRound, MOST_ROUND_TRIPS);
    calibrated = calibrated || visitNs >= longCalibrationNs || 2L * visit.block > most;
    double roundTripNs = (double) visitNs / visit.turns();
    double affordable = (request.warmupLimitNs - ns) / Math.max(roundTripNs, 1.0);
    visit =
        Visit.uninterrupted(
            calibrated ? (int) Math.max(1, Math.min(affordable, most)) : 2 * visit.block);
  }
}
