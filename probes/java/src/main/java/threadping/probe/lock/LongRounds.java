package threadping.probe.lock;

import threadping.probe.message.Request;

/**
 * Rounds of one uninterrupted call by each thread, as in the published experiment: the plain loop
 * is replaced under way (OSR). HotSpot then compiles the method around it too, by what this one
 * loop has taught it, not by its calls.
 *
 * <p>What the loop may take is known from a few calls before it, each twice as long as the one
 * before, until one takes a hundredth of the limit. The sampled loop, of which the article had
 * none, has its lessons afterwards.
 */
final class LongRounds extends WarmUp {
  private static final int LIMIT_TO_LAST_CALIBRATION = 100;
  private static final long SHORTEST_LAST_CALIBRATION_NS = 1_000_000;

  /** A longer round is made of several calls of so many: seconds each. */
  private static final int MOST_OPS_OF_A_CALL = 1 << 30;

  private final long longCalibrationNs;
  private final Lessons lessons;
  private long roundsLeft;

  /** Of each thread. */
  private long leftOfRound;

  private boolean knowsPace;
  private boolean isCompilerDue;
  private Stint call = Stint.plain(1, 1);

  LongRounds(Request request, int cpus, double clockNs) {
    super(request, cpus, clockNs);
    this.longCalibrationNs =
        Math.max(SHORTEST_LAST_CALIBRATION_NS, request.warmupLimitNs / LIMIT_TO_LAST_CALIBRATION);
    this.roundsLeft = request.warmupRounds;
    this.leftOfRound = share();
    this.lessons = Lessons.ofSampledLoop(threads);
  }

  /** What each thread does of a round. */
  private long share() {
    return (request.warmupOps + threads - 1) / threads;
  }

  @Override
  Stint stint() {
    if (call != null) {
      return call;
    }
    return lessons.areOver() ? look() : lessons.current();
  }

  @Override
  boolean goesOn(long ops, long ns) {
    return !isCalibrated();
  }

  @Override
  boolean isComplete(long ops) {
    return roundsLeft == 0;
  }

  @Override
  boolean isCompilerDue() {
    return isCompilerDue;
  }

  @Override
  void took(long stintOps, long stintNs, long ops, long ns) {
    isCompilerDue = false;
    if (call != null) {
      called(stintNs, ns);
    } else if (lessons.areOver()) {
      looked(stintOps, stintNs);
    } else {
      isCompilerDue = lessons.next();
      beginLooksAsLearnt();
    }
    if (ns >= request.warmupLimitNs) {
      lessons.drop();
    }
  }

  /** Plans the next call, if there is to be one. */
  private void called(long callNs, long ns) {
    int count = call.chunk;
    if (knowsPace) {
      leftOfRound -= count;
      if (leftOfRound == 0) {
        roundsLeft--;
        leftOfRound = share();
      }
    }
    long most = Math.min(leftOfRound, MOST_OPS_OF_A_CALL);
    knowsPace = knowsPace || callNs >= longCalibrationNs || 2L * count > most;
    if (!knowsPace) {
      call = Stint.plain(1, 2 * count);
      return;
    }
    double operationNs = Math.max((double) callNs / count, 0.1);
    double affordable = (request.warmupLimitNs - ns) / operationNs;
    boolean isOver = roundsLeft == 0 || affordable < 1;
    call = isOver ? null : Stint.plain(1, (int) Math.min(affordable, most));
  }
}
