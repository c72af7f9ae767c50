package threadping.probe.lock;

import threadping.probe.message.Request;

/**
 * Decides what the workers do in the warm-up, and knows what it taught: how long a chunk is, and
 * which operations are timed.
 */
abstract class WarmUp {
  /** Up to so many operations a round is made of short calls (contract/request.schema.json). */
  private static final long MOST_OPS_OF_SHORT_ROUNDS = 100_000;

  private static final long LOOK_NS = 1_000_000;

  /** Where threads share CPUs a look lasts until each has had a time slice (of 3 to 4 ms) ... */
  private static final int SLICES = 4;

  /** ... unless so many of these would not fit into the limit. */
  private static final int LOOKS_IN_LIMIT = 16;

  final Request request;
  final int threads;
  private final int running;
  private final long lookNs;
  private final double clockNs;
  private int chunk = 1;
  private int every = 1;
  private boolean paced;
  private boolean sampledLast;
  private boolean calibrated;

  /** The threads have so many CPUs. */
  WarmUp(Request request, int cpus, double clockNs) {
    this.request = request;
    this.threads = request.cpus.size();
    this.running = Math.min(threads, cpus);
    int crowding = Pace.crowding(threads, cpus);
    long wanted = crowding > 1 ? LOOK_NS * SLICES * crowding : LOOK_NS;
    this.lookNs = Math.min(wanted, Math.max(LOOK_NS, request.warmupLimitNs / LOOKS_IN_LIMIT));
    this.clockNs = clockNs;
  }

  static WarmUp of(Request request, int cpus, double clockNs) {
    return request.warmupOps <= MOST_OPS_OF_SHORT_ROUNDS
        ? new ShortRounds(request, cpus, clockNs)
        : new LongRounds(request, cpus, clockNs);
  }

  /** What the workers do next; it may be a look at how quick they are. */
  abstract Stint stint();

  /** Whether they do it, when so many operations and nanoseconds have passed in all. */
  abstract boolean goesOn(long ops, long ns);

  abstract boolean isComplete(long ops);

  /** Whether the compiler has just been given enough to do, so that it is worth waiting for. */
  abstract boolean isCompilerDue();

  /**
   * They did it: so many operations of all threads in so many nanoseconds; so many have passed in
   * all.
   */
  abstract void took(long stintOps, long stintNs, long ops, long ns);

  // ---- looks ----

  /** How long a look lasts. */
  final long lookNs() {
    return lookNs;
  }

  /**
   * Where the lessons were held, looks begin with their chunk: shorter calls would unteach what a
   * compiler that is late still has to go by.
   */
  final void beginLooksAsLearnt() {
    chunk = Math.max(chunk, Lessons.CHUNK);
  }

  /** The next look: plain ones until a chunk is long enough, then both kinds in turn. */
  final Stint look() {
    return Stint.untilTold(paced && !sampledLast, chunk, every);
  }

  final void looked(long ops, long ns) {
    sampledLast = look().isSampled();
    if (sampledLast) {
      calibrated = true;
    } else {
      double operationNs = Pace.operationNs(ns, ops, running);
      int next = Pace.nextChunk(operationNs, chunk);
      paced = paced || next <= chunk;
      chunk = next;
      every = Pace.every(operationNs, clockNs);
    }
  }

  /** Whether both kinds of look have been taken, with a chunk that is long enough. */
  final boolean isCalibrated() {
    return calibrated;
  }

  /** How many operations a call performs. */
  final int chunk() {
    return chunk;
  }

  /** One operation in so many is timed. */
  final int every() {
    return every;
  }
}
