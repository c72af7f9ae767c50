package threadping.probe.crew;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

/**
 * A lead that performs nothing: it opens a window when all members are at work, sleeps, and closes
 * it. It only ever looks at their counts. Windows are stretches of time.
 */
final class Outsider extends Lead {
  private static final long NAP_NS = 20_000;
  private static final long SHORTEST_WINDOW_NS = 300_000;

  /** So soon it notices a failure. */
  private static final long LONGEST_SLEEP_NS = 5_000_000;

  private final int threads;
  private long plainNs = SHORTEST_WINDOW_NS;
  private long timedNs = SHORTEST_WINDOW_NS;
  private int chunk = 1;

  Outsider(Scene scene) {
    super(scene, null);
    this.threads = request.cpus.size();
  }

  @Override
  void idle() {
    LockSupport.parkNanos(NAP_NS);
  }

  @Override
  boolean warmUp(long endNs) {
    Request.WarmUp wanted = request.warmUp;
    boolean goesOn = !wanted.uninterrupted || roundsAfterCalibration(endNs);
    goesOn = goesOn && calibrate(endNs);
    if (goesOn && !wanted.uninterrupted && startTogether(false, line(0))) {
      while (scene.ops() < wanted.wantedOps() && System.nanoTime() < endNs && scene.goesOn()) {
        idle();
      }
    }
    return goesOn;
  }

  /** Once more: from here on an operation may take longer. */
  @Override
  boolean fit(long endNs) {
    plainNs = request.windows.plain;
    timedNs = request.windows.timed;
    return calibrate(endNs);
  }

  /** What an operation takes in one loop: the quickest of some, each twice as long. */
  private boolean roundsAfterCalibration(long endNs) {
    double quickestNs = Double.MAX_VALUE;
    int longLoops = 0;
    for (int count = 1; longLoops < PROOF; count = Math.min(2 * count, LONGEST_LOOP)) {
      long before = System.nanoTime();
      if (!perform(line(0), count, count, 0, Long.MAX_VALUE)) {
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
    Result result = scene.result;
    boolean grows = true;
    while (grows) {
      double operationNs = look(false);
      int next = Pace.nextChunk(operationNs, chunk, request.windows.chunkNs);
      grows = next > chunk && System.nanoTime() < endNs;
      chunk = next;
      result.windows.every =
          Pace.every(operationNs, result.clock.costNs(), request.windows.clockShare);
    }
    look(true);
    return scene.goesOn();
  }

  /** What an operation took. */
  private double look(boolean isTimed) {
    if (!startTogether(isTimed, line(0))) {
      return 0;
    }
    long ops = scene.ops();
    long start = System.nanoTime();
    sleepUntil(start + request.warmUp.lookNs);
    return Pace.operationNs(System.nanoTime() - start, scene.ops() - ops, running());
  }

  /**
   * A plain and a timed window on one line; false if the bound has passed. Which comes first
   * alternates, so that what drifts falls on both alike.
   */
  @Override
  boolean visit(int line, int step) {
    return step % 2 == 1
        ? open(true, line, timedNs) && open(false, line, plainNs)
        : open(false, line, plainNs) && open(true, line, timedNs);
  }

  /** A window of this length, or until the bound, of which it then tells. */
  private boolean open(boolean isTimed, int line, long ns) {
    if (!startTogether(isTimed, line)) {
      return false;
    }
    scene.gate.open(System.nanoTime());
    long[] before = opsOfEach();
    long start = System.nanoTime();
    sleepUntil(start + ns);
    long[] ops = opsOfEach();
    long took = System.nanoTime() - start;
    scene.gate.close(System.nanoTime());
    long all = 0;
    for (int thread = 0; thread < threads; thread++) {
      ops[thread] -= before[thread];
      all += ops[thread];
    }
    scene.result.windows.add(line, isTimed, took, ops);
    double operationNs = Pace.operationNs(took, all, running());
    chunk = Pace.nextChunk(operationNs, chunk, request.windows.chunkNs);
    return scene.goesOn();
  }

  private long[] opsOfEach() {
    long[] ops = new long[threads];
    for (int thread = 0; thread < threads; thread++) {
      ops[thread] = scene.boards[thread].ops;
    }
    return ops;
  }

  /**
   * Lets all come to rest and orders them to the line, where each of them then stands when this
   * returns. One that is starved of a lock would not look at its orders as long as the others go
   * on: a spinning thread that shares its CPU with the lock's holder can wait for seconds.
   */
  private boolean startTogether(boolean isTimed, int line) {
    int atOnce = isTimed ? scene.result.windows.every : chunk;
    return rest() && give(line, Order.UNTIL_TOLD, atOnce, isTimed ? 1 : 0) && awaitObeyed();
  }

  /** Sleeps until then, or until the bound. */
  private void sleepUntil(long time) {
    long end = Math.min(time, scene.deadline);
    for (long left = end - System.nanoTime(); left > 0 && scene.failure() == null; ) {
      LockSupport.parkNanos(Math.min(left, LONGEST_SLEEP_NS));
      left = end - System.nanoTime();
    }
  }
}
