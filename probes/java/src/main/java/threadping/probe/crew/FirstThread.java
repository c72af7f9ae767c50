package threadping.probe.crew;

import threadping.probe.message.Request;

/**
 * A lead that is the first member itself: it takes the others along to a line, performs its own
 * operations there against the clock, looks at the time and goes on. Windows are operations of each
 * thread.
 */
final class FirstThread extends Lead {
  /** What counts as long is found out anew after so many visits, which may be very short. */
  private static final int VISITS_A_THRESHOLD = 64;

  private final Timings timings;
  private final long[] completed;
  private int visits;

  /** In a rehearsal with several timed operations, more than one of which may be long. */
  private Visit visit = new Visit(1, 1, 3);

  FirstThread(Scene scene, Member self) {
    super(scene, self);
    this.timings = new Timings(Visit.of(Double.MAX_VALUE, request.windows).timed);
    this.completed = new long[request.cpus.size()];
    scene.result.windows.reserve(1 << 14);
  }

  @Override
  void idle() {
    Thread.yield();
  }

  /**
   * Visits that double in length until they take as long as a look, so that even threads that need
   * a time slice for each operation are noticed at once; then as many as the request wants, or its
   * uninterrupted rounds. The quickest visit tells what an operation takes: a slower one was
   * disturbed.
   */
  @Override
  boolean warmUp(long endNs) {
    Request.WarmUp wanted = request.warmUp;
    long inVisits = wanted.uninterrupted ? 0 : wanted.wantedOps();
    double quickestNs = Double.MAX_VALUE;
    Visit next = Visit.of(1, request.windows);
    boolean isCalibrated = false;
    int longVisits = 0;
    long now = System.nanoTime();
    for (int step = 0; !isCalibrated || scene.ops() < inVisits && now < endNs; step++) {
      long before = now;
      if (!visit(line(step), next)) {
        return false;
      }
      now = System.nanoTime();
      quickestNs = Math.min(quickestNs, (double) (now - before) / next.ops());
      boolean isLong = now - before >= request.warmUp.lookNs;
      longVisits += isLong ? 1 : 0;
      Visit longer = Visit.of(2.0 * next.plain, request.windows);
      isCalibrated = isCalibrated || longVisits == PROOF || longer.plain == next.plain;
      next = isLong ? next : longer;
    }
    visit = Visit.fitted(request, quickestNs);
    return !wanted.uninterrupted || longRounds(quickestNs, endNs);
  }

  /** The visits were fitted to the warm-up; what counts as long is to be found out. */
  @Override
  boolean fit(long endNs) {
    visits = 0;
    return true;
  }

  @Override
  boolean visit(int line, int step) {
    return visit(line, visit);
  }

  /**
   * Takes the others along to a line, and performs there as the visit says. The timed window begins
   * with the reading that ends the plain one. What was stopped is kept as far as it came.
   */
  private boolean visit(int line, Visit taken) {
    if (!give(line, taken.ops(), taken.ops(), 0)) {
      return false;
    }
    if (visits++ % VISITS_A_THRESHOLD == 0) {
      self.beginTiming();
    }
    self.lookAhead();
    if (perform(line, taken.leadIn) < taken.leadIn) {
      return false;
    }
    long opened = System.nanoTime();
    int plain = perform(line, taken.plain);
    long closed = System.nanoTime();
    keep(line, false, closed - opened, plain);
    if (plain < taken.plain) {
      return false;
    }
    int timed = scene.loops().timed(0, line, closed, timings, taken.timed);
    self.add(timed, taken.timed);
    keep(line, true, self.record(timings, timed), timed);
    if (timed < taken.timed) {
      self.recorder().censor();
      return false;
    }
    scene.loops().leave(0, line);
    return true;
  }

  private int perform(int line, int count) {
    int done = scene.loops().plain(0, line, count);
    self.add(done, count);
    return done;
  }

  /** The others complete as many as this one, as far as theirs count. */
  private void keep(int line, boolean isTimed, long ns, int ops) {
    if (ops > 0) {
      for (int thread = 0; thread < completed.length; thread++) {
        completed[thread] = scene.loops().counted(thread) ? ops : 0;
      }
      scene.result.windows.add(line, isTimed, ns, completed);
    }
  }
}
