package threadping.probe.engine;

import java.util.concurrent.locks.LockSupport;

/**
 * A lead that performs nothing: it opens a window when all workers are at work, sleeps, and closes
 * it. It only ever looks at their counts. Windows are stretches of time; where the experiment is a
 * stream, marks in it.
 *
 * <p>In a crowd it has its share of a CPU like everybody else: with 512 threads on two, each
 * millisecond of its own work lasts a quarter of a second. So what it runs between two orders links
 * no lambdas and streams, and it looks at the workers less often.
 */
final class Outsider extends Lead {
  private static final long NAP_NS = 20_000;

  /** So soon it notices a failure. */
  private static final long LONGEST_SLEEP_NS = 5_000_000;

  private int chunk = 1;
  private int every = 1;

  /** What an operation took in the latest stretches. */
  private final double[] latestNs = new double[4];

  private int stretches;

  Outsider(Scene scene) {
    super(scene, null);
  }

  /** The time, and what each worker has done until then. */
  private static final class Counts {
    final long[] ops;
    final long[] readings;
    final long ns;

    Counts(Board[] boards) {
      ops = new long[boards.length];
      readings = new long[boards.length];
      for (int thread = 0; thread < boards.length; thread++) {
        ops[thread] = boards[thread].ops;
        readings[thread] = boards[thread].readings;
      }
      ns = System.nanoTime();
    }

    /** What was done since then. */
    Counts(Counts before, Counts after) {
      ops = differences(before.ops, after.ops);
      readings = differences(before.readings, after.readings);
      ns = after.ns - before.ns;
    }

    private static long[] differences(long[] before, long[] after) {
      long[] differences = new long[after.length];
      for (int each = 0; each < after.length; each++) {
        differences[each] = after[each] - before[each];
      }
      return differences;
    }
  }

  @Override
  void idle() {
    LockSupport.parkNanos(NAP_NS * scene.boards.length / scene.running);
  }

  @Override
  int stretch() {
    return LEAST_WINDOWS;
  }

  /**
   * Looks that tell how long an operation takes, for the chunk and for how often one is timed at
   * first. At least one, and none that begins after the end.
   */
  @Override
  Double calibrate(long endNs) throws InterruptedException {
    while (startTogether(false, line(0))) {
      Counts before = new Counts(scene.boards);
      sleepUntil(before.ns + request.warmUp.lookNs);
      double ns = operationNs(new Counts(before, new Counts(scene.boards)));
      every = Pace.every(ns, scene.result.clock.costNs(), request.windows.clockShare);
      int last = chunk;
      fitChunk(ns);
      if (chunk <= last || System.nanoTime() >= endNs) {
        return request.warmUp.uninterrupted ? quickestLoop() : (Double) ns;
      }
    }
    return null;
  }

  /** What an operation takes in one loop: the quickest of some, each twice as long. */
  private Double quickestLoop() throws InterruptedException {
    double quickestNs = Double.MAX_VALUE;
    int longLoops = 0;
    for (int count = 1; longLoops < PROOF; count = Math.min(2 * count, LONGEST_LOOP)) {
      long before = System.nanoTime();
      if (!perform(line(0), count)) {
        return null;
      }
      long ns = System.nanoTime() - before;
      quickestNs = Math.min(quickestNs, (double) ns / count);
      longLoops += ns >= request.warmUp.lookNs || count == LONGEST_LOOP ? 1 : 0;
    }
    return quickestNs;
  }

  /** Which kind comes first alternates, so that what drifts falls on both alike. */
  @Override
  boolean visit(int line, int step) throws InterruptedException {
    boolean first = step % 2 == 1;
    return open(first, line) && open(!first, line);
  }

  /** A window of its length, or until the bound, of which it then tells. */
  private boolean open(boolean isSampling, int line) throws InterruptedException {
    if (!startTogether(isSampling, line)) {
      return false;
    }
    Counts before = new Counts(scene.boards); // not in the gate: all recorded in it is counted
    if (isSampling) {
      scene.gate.open(System.nanoTime());
    }
    sleepUntil(before.ns + (isSampling ? request.windows.sampling : request.windows.throughput));
    if (isSampling) {
      scene.gate.close(System.nanoTime());
    }
    Counts done = new Counts(before, new Counts(scene.boards));
    keep(line, isSampling ? every : 0, done.ns, done.ops);
    tellRuntime(windows.count - 1);
    fitChunk(operationNs(done));
    if (isSampling) {
      fitEvery(done);
    }
    return scene.goesOn();
  }

  /** Or until the bound. */
  private void sleepUntil(long ns) {
    long end = Math.min(ns, scene.deadline);
    for (long left = end - System.nanoTime(); left > 0 && scene.failure() == null; ) {
      LockSupport.parkNanos(Math.min(left, LONGEST_SLEEP_NS));
      left = end - System.nanoTime();
    }
  }

  private double operationNs(Counts done) {
    long sum = 0;
    for (long ops : done.ops) {
      sum += ops;
    }
    return Pace.operationNs(done.ns, sum, scene.running);
  }

  /**
   * Where threads share CPUs one may have been alone in a stretch, at a pace that is not theirs: a
   * chunk that fitted it would take seconds when they contend for a lock that they hand over in
   * turn. So the slowest of the latest counts.
   */
  private void fitChunk(double operationNs) {
    latestNs[stretches++ % latestNs.length] = operationNs;
    double slowestNs = operationNs;
    if (scene.running < scene.boards.length) {
      for (double latest : latestNs) {
        slowestNs = Math.max(slowestNs, latest);
      }
    }
    chunk = Pace.nextChunk(slowestNs, chunk, request.windows.chunkNs);
  }

  /** By the readings that were really made, of whoever made most. */
  private void fitEvery(Counts done) {
    long most = 0;
    for (long readings : done.readings) {
      most = Math.max(most, readings);
    }
    double ranNs = (double) done.ns * scene.running / scene.boards.length;
    double spent = most * scene.result.clock.costNs() / Math.max(ranNs, 1);
    every = Pace.nextEvery(every, spent, request.windows.clockShare);
  }

  /**
   * Lets all come to rest and orders them to the line, where each of them then stands when this
   * returns. One that is starved of a lock would not look at its orders as long as the others go
   * on: a spinning thread that shares its CPU with the lock's holder can wait for seconds. A stream
   * has one line and never rests.
   */
  private boolean startTogether(boolean isSampling, int line) throws InterruptedException {
    int groups = Math.max(1, chunk / every);
    boolean isTimed = isSampling || scene.experiment.openLoop();
    Task task = isTimed ? new Task(line, groups * every, every) : new Task(line, chunk, 0);
    return (scene.isStream || rest()) && give(Order.UNTIL_TOLD, task) && awaitObeyed();
  }
}
