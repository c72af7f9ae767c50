package threadping.probe.crew;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Jvm;

/**
 * A lead that performs nothing: it opens a window when all members are at work, sleeps, and closes
 * it. It only ever looks at their counts. Windows are stretches of time.
 */
final class Outsider extends Lead {
  private static final long NAP_NS = 20_000;
  private static final long SHORTEST_WINDOW_NS = 300_000;

  /** So soon it notices a failure. */
  private static final long LONGEST_SLEEP_NS = 5_000_000;

  /** Of a lesson. */
  private static final int MOST_REPETITIONS = 4;

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

  /**
   * Several threads count together, in counters that are plain, and so some counts are lost: what
   * one lesson does not bring about the next one does.
   */
  @Override
  boolean teach(Lessons lesson, long untilNs, long mostOps) {
    long count = (lesson.calls + threads - 1) / threads * lesson.ops;
    chunk = lesson.ops;
    for (int each = 0; each < Math.min(threads, MOST_REPETITIONS); each++) {
      boolean goesOn =
          scene.ops() <= mostOps - 2 * threads * count
              && carriedOut(Orders.Kind.WORK, line(0), count, untilNs)
              && carriedOut(Orders.Kind.SAMPLE, line(0), count, untilNs);
      if (!goesOn) {
        chunk = 1;
        return false;
      }
      Jvm.awaitIdleCompiler(request.warmUp.limitNs / 4);
    }
    return true;
  }

  /** Whether all members performed so many operations on the line until then. */
  private boolean carriedOut(Orders.Kind kind, int line, long count, long untilNs) {
    return order(Orders.Kind.REST)
        && give(kind, line, count, chunk, chunk)
        && awaitFinished(untilNs);
  }

  @Override
  boolean warmUp(long endNs) {
    Request.WarmUp wanted = request.warmUp;
    boolean goesOn = !wanted.uninterrupted || roundsAfterCalibration(endNs);
    chunk = wanted.uninterrupted ? 1 : chunk; // a look waits for the end of a chunk
    goesOn = goesOn && calibrate(endNs);
    if (goesOn && !wanted.uninterrupted && startTogether(Orders.Kind.WORK, line(0))) {
      while (scene.ops() < wanted.wantedOps() && System.nanoTime() < endNs && scene.goesOn()) {
        idle();
      }
    }
    plainNs = request.windows.plain;
    timedNs = request.windows.timed;
    return goesOn && calibrate(endNs);
  }

  /** What an operation takes in one loop: of a few, each twice as long as the one before. */
  private boolean roundsAfterCalibration(long endNs) {
    for (int count = 1; ; count *= 2) {
      long before = System.nanoTime();
      if (!loop(line(0), count)) {
        return false;
      }
      long ns = System.nanoTime() - before;
      if (ns >= lookNs) {
        return longRounds((double) ns / count, endNs);
      }
    }
  }

  @Override
  boolean loop(int line, int count) {
    chunk = count;
    return carriedOut(Orders.Kind.WORK, line, count, Long.MAX_VALUE);
  }

  /**
   * Looks that tell how long an operation takes, for the chunk and for how often one is timed. At
   * least one of each kind, and none more that begins after the end.
   */
  private boolean calibrate(long endNs) {
    Result result = scene.result;
    boolean grows = true;
    while (grows) {
      double operationNs = look(Orders.Kind.WORK);
      int next = Pace.nextChunk(operationNs, chunk, request.windows.chunkNs);
      grows = next > chunk && System.nanoTime() < endNs;
      chunk = next;
      result.windows.every =
          Pace.every(operationNs, result.clock.costNs, request.windows.clockShare);
    }
    look(Orders.Kind.SAMPLE);
    return scene.goesOn();
  }

  /** What an operation took. */
  private double look(Orders.Kind kind) {
    if (!startTogether(kind, line(0))) {
      return 0;
    }
    long ops = scene.ops();
    long start = System.nanoTime();
    sleepUntil(start + lookNs);
    return Pace.operationNs(System.nanoTime() - start, scene.ops() - ops, running());
  }

  /**
   * A plain and a timed window on one line; false if the bound has passed. Which comes first
   * alternates, so that what drifts falls on both alike.
   */
  @Override
  boolean visit(int line, int step) {
    return step % 2 == 1
        ? open(Orders.Kind.SAMPLE, line, timedNs) && open(Orders.Kind.WORK, line, plainNs)
        : open(Orders.Kind.WORK, line, plainNs) && open(Orders.Kind.SAMPLE, line, timedNs);
  }

  /** A window of this length, or until the bound, of which it then tells. */
  private boolean open(Orders.Kind kind, int line, long ns) {
    if (!startTogether(kind, line)) {
      return false;
    }
    scene.gate.turn();
    long[] before = opsOfEach();
    long start = System.nanoTime();
    sleepUntil(start + ns);
    long[] ops = opsOfEach();
    long took = System.nanoTime() - start;
    scene.gate.turn();
    long all = 0;
    for (int thread = 0; thread < threads; thread++) {
      ops[thread] -= before[thread];
      all += ops[thread];
    }
    scene.result.windows.add(line, kind == Orders.Kind.SAMPLE, took, ops);
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
  private boolean startTogether(Orders.Kind kind, int line) {
    int atOnce = kind == Orders.Kind.SAMPLE ? scene.result.windows.every : chunk;
    return order(Orders.Kind.REST)
        && give(kind, line, Orders.UNTIL_TOLD, atOnce, 1)
        && awaitObeyed();
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
