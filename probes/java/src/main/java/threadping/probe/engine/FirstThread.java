package threadping.probe.engine;

import java.util.Arrays;

/**
 * A lead that is the first worker itself: it takes the others along to a line, performs its own
 * operations there against the clock, looks at the time and goes on. Windows are operations of each
 * thread.
 */
final class FirstThread extends Lead {
  /** What counts as long is found out anew after so many visits, which may be very short. */
  private static final int VISITS_A_THRESHOLD = 64;

  /**
   * So many operations are one call: few enough for the loop to be compiled as a method soon, and
   * so many that what lies between two calls is nothing beside them.
   */
  static final int CHUNK = 256;

  /** A visit whose length is so near to the fitted one is the one that will be measured. */
  private static final int NEAR = 4;

  private final long[] completed;
  private int visits;
  private boolean keeps;

  /** What an operation took in the quickest visit of this stretch of the warm-up. */
  private double quickestNs;

  private Visit visit;

  FirstThread(Scene scene, Worker self) {
    super(scene, self);
    this.completed = new long[request.cpus.size()];
    windows.reserve(1 << 14);
  }

  /** Samples that there must be room for. */
  static int room(Scene scene) {
    return Visit.of(Double.MAX_VALUE, scene.request.windows).sampling();
  }

  @Override
  void idle() {
    Thread.yield();
  }

  @Override
  int stretch() {
    return Math.max(LEAST_WINDOWS, request.lines);
  }

  /**
   * Visits that double in length until they take as long as a look, so that even threads that need
   * a time slice for each operation are noticed at once. The quickest visit tells what an operation
   * takes: a slower one was disturbed.
   */
  @Override
  Double calibrate(long endNs) throws InterruptedException {
    double quickest = Double.MAX_VALUE;
    visit = Visit.of(1, request.windows);
    int longVisits = 0;
    for (int step = 0; longVisits < PROOF; step++) {
      long before = System.nanoTime();
      if (!visit(line(step), step)) {
        return null;
      }
      long ns = System.nanoTime() - before;
      quickest = Math.min(quickest, (double) ns / visit.ops());
      Visit longer = Visit.of(2.0 * visit.throughput(), request.windows);
      boolean isLongest = longer.throughput() == visit.throughput();
      boolean isLong = ns >= request.warmUp.lookNs;
      longVisits += isLongest ? PROOF : isLong ? 1 : 0;
      visit = isLong ? visit : longer;
    }
    visit = Visit.fitted(request, quickest);
    keeps = true;
    quickestNs = Double.MAX_VALUE;
    visits = 0;
    return quickest;
  }

  /** Once a stretch: operations become quicker while the runtime compiles them. */
  @Override
  void refit() {
    int last = windows.count - 2;
    long ops = windows.ops[0][last] + windows.ops[0][last + 1];
    quickestNs = Math.min(quickestNs, (double) (windows.ns[last] + windows.ns[last + 1]) / ops);
    if (windows.count / 2 % stretch() == 0) {
      Visit fitted = Visit.fitted(request, quickestNs);
      int difference = Math.abs(fitted.throughput() - visit.throughput());
      visit = difference > visit.throughput() / NEAR ? fitted : visit;
      quickestNs = Double.MAX_VALUE;
    }
  }

  /**
   * Takes the others along to a line, and performs there as the visit says. The sampling window
   * begins with the reading that ends the throughput one. What was stopped is kept as far as it
   * came.
   */
  @Override
  boolean visit(int line, int step) throws InterruptedException {
    if (!give(visit.ops(), new Task(line, Math.min(CHUNK, visit.ops()), 0))) {
      return false;
    }
    if (visits++ % VISITS_A_THRESHOLD == 0) {
      self.beginSampling();
    }
    self.aboutToTime();
    if (run(line, visit.leadIn()) < visit.leadIn()) {
      return false;
    }
    int first = windows.count;
    long opened = System.nanoTime();
    int throughput = run(line, visit.throughput());
    long closed = System.nanoTime();
    keep(line, 0, closed - opened, throughput);
    boolean isWhole = throughput == visit.throughput() && sample(line, closed);
    if (windows.count > first) {
      tellRuntime(first, windows.count - 1);
    }
    if (isWhole) {
      self.leave();
    }
    return isWhole;
  }

  private int run(int line, int count) throws InterruptedException {
    int done = 0;
    for (int wanted = 0, last = 0; done < count && last == wanted; done += last) {
      wanted = Math.min(CHUNK, count - done);
      last = self.run(new Task(line, wanted, 0));
    }
    return done;
  }

  private boolean sample(int line, long opened) throws InterruptedException {
    scene.gate.open(opened);
    int sampling = self.run(new Task(line, visit.sampling(), 1, opened));
    long closed = self.lastNs(opened);
    self.settle();
    scene.gate.close(closed);
    keep(line, 1, closed - opened, sampling);
    if (sampling < visit.sampling()) {
      self.histogram.censor();
    }
    return sampling == visit.sampling();
  }

  /** The others complete as many as this one. */
  private void keep(int line, int every, long ns, int ops) {
    if (ops > 0 && keeps) {
      Arrays.fill(completed, ops);
      keep(line, every, ns, completed);
    }
  }
}
