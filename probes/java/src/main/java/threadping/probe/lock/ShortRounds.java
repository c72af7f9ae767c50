package threadping.probe.lock;

import threadping.probe.message.Request;

/**
 * Rounds made of short calls, so that the timed loops are compiled as methods: first the lessons,
 * as far as they take no more than what is asked for; then looks at how quick the workers are.
 */
final class ShortRounds extends WarmUp {
  private final long wanted;
  private final Lessons lessons;
  private boolean isCompilerDue;

  ShortRounds(Request request, int cpus, double clockNs) {
    super(request, cpus, clockNs);
    this.wanted = request.warmupRounds * request.warmupOps;
    this.lessons = Lessons.ofBothLoops(threads);
    skipWhatIsTooMuch(0, 0);
  }

  @Override
  Stint stint() {
    return lessons.areOver() ? look() : lessons.current();
  }

  @Override
  boolean goesOn(long ops, long ns) {
    return !isCalibrated() || ops < wanted && ns < request.warmupLimitNs;
  }

  @Override
  boolean isComplete(long ops) {
    return ops >= wanted;
  }

  @Override
  boolean isCompilerDue() {
    return isCompilerDue;
  }

  @Override
  void took(long stintOps, long stintNs, long ops, long ns) {
    isCompilerDue = false;
    if (lessons.areOver()) {
      looked(stintOps, stintNs);
    } else {
      isCompilerDue = lessons.next();
      beginLooksAsLearnt();
      skipWhatIsTooMuch(ops, ns);
    }
  }

  /** A later lesson is of no use without the one before. */
  private void skipWhatIsTooMuch(long ops, long ns) {
    boolean isTooMuch =
        ns >= request.warmupLimitNs / 4 * 3
            || !lessons.areOver() && ops + threads * lessons.current().ops() > wanted;
    if (isTooMuch) {
      lessons.drop();
    }
  }
}
