package threadping.probe.engine;

import java.util.Arrays;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * A lead that performs nothing: it opens a window when all workers are at work, sleeps, and closes
 * it. It only ever looks at their counts. Windows are stretches of time.
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

  @Override
  void idle() {
    LockSupport.parkNanos(NAP_NS);
  }

  @Override
  int stretch() {
    return LEAST_WINDOWS;
  }

  @Override
  boolean prepare(long endNs) {
    return calibrate(endNs) && (!request.warmUp.uninterrupted || rounds(endNs));
  }

  /** What an operation takes in one loop: the quickest of some, each twice as long. */
  private boolean rounds(long endNs) {
    double quickestNs = Double.MAX_VALUE;
    int longLoops = 0;
    for (int count = 1; longLoops < PROOF; count = Math.min(2 * count, LONGEST_LOOP)) {
      long before = System.nanoTime();
      if (!perform(line(0), count)) {
        return false;
      }
      long ns = System.nanoTime() - before;
      quickestNs = Math.min(quickestNs, (double) ns / count);
      longLoops += ns >= request.warmUp.lookNs || count == LONGEST_LOOP ? 1 : 0;
    }
    return longRounds(quickestNs, endNs);
  }

  /**
   * Looks that tell how long an operation takes, for the chunk and for how often one is timed. At
   * least one of each kind, and none more that begins after the end.
   */
  private boolean calibrate(long endNs) {
    int last;
    do {
      last = chunk;
      if (!startTogether(false, line(0))) {
        return false;
      }
      new Look().sleep(request.warmUp.lookNs).fitChunk();
    } while (chunk > last && System.nanoTime() < endNs && scene.goesOn());
    if (!startTogether(true, line(0))) {
      return false;
    }
    new Look().sleep(request.warmUp.lookNs).fitEvery();
    return scene.goesOn();
  }

  /** Which kind comes first alternates, so that what drifts falls on both alike. */
  @Override
  boolean visit(int line, int step) {
    boolean first = step % 2 == 1;
    return open(first, line) && open(!first, line);
  }

  /** A window of its length, or until the bound, of which it then tells. */
  private boolean open(boolean isSampling, int line) {
    if (!startTogether(isSampling, line)) {
      return false;
    }
    if (isSampling) {
      scene.gate.open(System.nanoTime());
    }
    Look look = new Look();
    look.sleep(isSampling ? request.windows.sampling : request.windows.throughput);
    if (isSampling) {
      scene.gate.close(System.nanoTime());
    }
    keep(line, isSampling ? every : 0, look.ns, look.ops);
    tellRuntime(windows.count - 1);
    look.fitChunk();
    if (isSampling) {
      look.fitEvery();
    }
    return scene.goesOn();
  }

  /** What all did from now on. */
  private final class Look {
    final long[] ops = scene.opsOfEach();
    private final long[] readings = readings();
    private final long start = System.nanoTime();
    long ns;

    /** For so long, or until the bound. */
    Look sleep(long afterNs) {
      long end = Math.min(start + afterNs, scene.deadline);
      for (long left = end - System.nanoTime(); left > 0 && scene.failure() == null; ) {
        LockSupport.parkNanos(Math.min(left, LONGEST_SLEEP_NS));
        left = end - System.nanoTime();
      }
      long[] now = scene.opsOfEach();
      ns = System.nanoTime() - start;
      long[] read = readings();
      Arrays.setAll(ops, each -> now[each] - ops[each]);
      Arrays.setAll(readings, each -> read[each] - readings[each]);
      return this;
    }

    private static long most(long[] counts) {
      return Arrays.stream(counts).max().getAsLong();
    }

    /**
     * To whoever completes most; and how often one is timed as long as none was. Where threads
     * share CPUs one may have been alone in a stretch, at a pace that is not theirs: a chunk that
     * fitted it would take seconds when they contend for a lock that they hand over in turn. So the
     * slowest of the latest counts.
     */
    void fitChunk() {
      double operationNs = Pace.operationNs(ns, most(ops), cpuShare());
      latestNs[stretches++ % latestNs.length] = operationNs;
      double slowestNs = cpuShare() < 1 ? Arrays.stream(latestNs).max().getAsDouble() : operationNs;
      chunk = Pace.nextChunk(slowestNs, chunk, request.windows.chunkNs);
      if (windows.count == 0) {
        every = Pace.every(operationNs, scene.result.clock.costNs(), request.windows.clockShare);
      }
    }

    /** By the readings that were really made, of whoever made most. */
    void fitEvery() {
      double spent = most(readings) * scene.result.clock.costNs() / (ns * cpuShare());
      every = most(ops) == 0 ? every : Pace.nextEvery(every, spent, request.windows.clockShare);
    }
  }

  private long[] readings() {
    return IntStream.range(0, scene.boards.length)
        .mapToLong(each -> scene.boards[each].readings())
        .toArray();
  }

  /**
   * Lets all come to rest and orders them to the line, where each of them then stands when this
   * returns. One that is starved of a lock would not look at its orders as long as the others go
   * on: a spinning thread that shares its CPU with the lock's holder can wait for seconds. A stream
   * has one line and never rests.
   */
  private boolean startTogether(boolean isSampling, int line) {
    int groups = Math.max(1, chunk / every);
    Task task = isSampling ? new Task(line, groups * every, every) : new Task(line, chunk, 0);
    return (scene.isStream || rest()) && give(Order.UNTIL_TOLD, task) && awaitObeyed();
  }
}
