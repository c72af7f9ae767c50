package threadping.probe.crew;

import java.util.Random;
import java.util.Set;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.MachineCounters;

/** Whoever decides what all members do and opens the windows. */
abstract class Lead {
  /** Parts of the warm-up's limit that a rehearsal, and the waits for the compiler, may take. */
  private static final int PARTS = 8;

  private static final int REHEARSED = 6500;

  /** A longer round is made of several loops of so many: seconds each, or minutes. */
  private static final int LONGEST_LOOP = 1 << 30;

  final Scene scene;
  final Member self;
  final Request request;
  final long lookNs;
  private final Jvm jvm = new Jvm();
  private final int firstFollower;
  private final int[] route;
  private Set<Integer> cpus = Set.of();
  private long number;

  /** One that is itself this member; null if it is none. */
  Lead(Scene scene, Member self) {
    this.scene = scene;
    this.self = self;
    this.firstFollower = self == null ? 0 : 1;
    this.request = scene.request;
    this.lookNs = request.warmUp.lookNs;
    this.route = shuffled(request.lines, new Random(request.seed));
  }

  private static int[] shuffled(int count, Random random) {
    int[] lines = new int[count];
    for (int line = 0; line < count; line++) {
      int other = random.nextInt(line + 1);
      lines[line] = lines[other];
      lines[other] = line;
    }
    return lines;
  }

  // ---- the two leads ----

  /** What to do between two looks at the members. */
  abstract void idle();

  /**
   * Has each loop called so often by all members together. False if it would not be over by then,
   * or is more than so many operations in all.
   */
  abstract boolean teach(Lessons lesson, long untilNs, long mostOps);

  /** Works until as much is done as the request wants, and fits the visits to what it took. */
  abstract boolean warmUp(long endNs);

  /** Has all members perform so many operations on a line in one loop. False if it was stopped. */
  abstract boolean loop(int line, int count);

  /** Opens a plain and a timed window on a line. False if they were stopped. */
  abstract boolean visit(int line, int step);

  // ---- what they share ----

  /** Warms up and measures; false if the bound, or somebody's failure, ended it before its time. */
  final boolean run() {
    if (!order(Orders.Kind.REST)) {
      return false;
    }
    Result result = scene.result;
    cpus = result.cpusInUse();
    long limitNs = request.warmUp.limitNs;
    long start = System.nanoTime();
    boolean goesOn = prepare(start, limitNs);
    result.warmUpNs = System.nanoTime() - start;
    result.warmUpComplete = goesOn && scene.ops() >= request.warmUp.wantedOps();
    result.windows.count = 0;
    return goesOn && measure(request.measureNs);
  }

  /** Lessons come before short rounds, and after long ones, whose loop is to learn by itself. */
  private boolean prepare(long startNs, long limitNs) {
    MachineCounters.of(cpus); // once for nothing: the first reading loads and compiles much
    new Recorder().exercise();
    boolean goesOn = rehearse(limitNs);
    if (goesOn && !request.warmUp.uninterrupted) {
      teach(startNs + limitNs / PARTS * 6, limitNs, request.warmUp.wantedOps());
      goesOn = warmUp(startNs + limitNs);
    } else if (goesOn) {
      goesOn = warmUp(startNs + limitNs / PARTS * 7);
      teach(startNs + limitNs, limitNs, Long.MAX_VALUE);
    }
    goesOn = goesOn && order(Orders.Kind.REST);
    Jvm.awaitIdleCompiler(limitNs / 4);
    return goesOn;
  }

  private void teach(long untilNs, long limitNs, long mostOps) {
    for (Lessons lesson : Lessons.values()) {
      if (!teach(lesson, untilNs, mostOps)) {
        return;
      }
      Jvm.awaitIdleCompiler(limitNs / 4);
    }
  }

  /**
   * Visits with loops that do nothing (see {@link IdleLoops}), until what is called once in each is
   * compiled for good, if time allows: after 5,000 calls (Tier4InvocationThreshold), which is
   * noticed at a multiple of 1024 (Tier3InvokeNotifyFreqLog).
   */
  private boolean rehearse(long limitNs) {
    Loops loops = scene.loops();
    Loops[] idle = IdleLoops.kinds();
    boolean goesOn = true;
    long end = System.nanoTime() + limitNs / 6;
    int visits = 0;
    for (int round = 0; goesOn && visits < REHEARSED && System.nanoTime() < end; round++) {
      scene.perform(idle[round % idle.length], 0);
      scene.result.windows.every = 1 + round % 2;
      long next = System.nanoTime() + limitNs / 48;
      for (int each = 0; goesOn && each < 100 && System.nanoTime() < next; each++) {
        goesOn = visit(line(visits), visits);
        visits++;
      }
      goesOn = goesOn && order(Orders.Kind.REST);
    }
    scene.result.windows.every = 1;
    if (goesOn) { // otherwise some may still be at it
      scene.perform(loops, 1);
    }
    return goesOn;
  }

  /**
   * Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this
   * pace. Where that was disturbed and time is left, the round goes on. False if it was stopped.
   */
  final boolean longRounds(double operationNs, long endNs) {
    int threads = request.cpus.size();
    for (int round = 0; round < request.warmUp.rounds; round++) {
      long left = (request.warmUp.ops + threads - 1) / threads;
      while (left > 0) {
        long now = System.nanoTime();
        if (now >= endNs) {
          return true;
        }
        double affordable = Math.min((endNs - now) / Math.max(operationNs, 0.1) + 1, LONGEST_LOOP);
        int count = (int) Math.min(left, affordable);
        if (!loop(line(round), count)) {
          return false;
        }
        left -= count;
      }
    }
    return true;
  }

  /** Makes visits for so long, and counts what happens meanwhile. */
  private boolean measure(long ns) {
    Result result = scene.result;
    insist(Orders.Kind.PREPARE);
    MachineCounters machine = MachineCounters.of(cpus);
    Long compileMs = jvm.compileMs();
    long collections = jvm.collections();
    insist(Orders.Kind.BEGIN);

    long ops = scene.ops();
    long start = System.nanoTime();
    boolean complete = true;
    for (int step = 0; complete && System.nanoTime() - start < ns; step++) {
      complete = visit(line(step), step);
    }

    insist(Orders.Kind.END);
    result.measuredNs = System.nanoTime() - start;
    result.measuredOps = scene.ops() - ops;
    result.collections = jvm.collections() - collections;
    result.compileMs = compileMs == null ? null : (Long) (jvm.compileMs() - compileMs);
    result.machine = MachineCounters.of(cpus).since(machine);
    insist(Orders.Kind.FINISH);
    return complete;
  }

  /** The line of this step: all in an order that the seed shuffles, again and again. */
  final int line(int step) {
    return route[step % route.length];
  }

  /** How many members can run at once. */
  final int running() {
    return Math.min(request.cpus.size(), cpus.size());
  }

  // ---- orders ----

  /** Replaces the order once all have obeyed the one before; false if the bound passed first. */
  final boolean give(Orders.Kind kind, int line, long count, int chunk, int timed) {
    if (!awaitObeyed()) {
      return false;
    }
    scene.orders.give(++number, kind, line, count, chunk, timed);
    return true;
  }

  /** The same, for what is no work, and waits until all obey. */
  final boolean order(Orders.Kind kind) {
    return give(kind, 0, 0, 1, 1) && awaitObeyed();
  }

  final boolean awaitObeyed() {
    while (!isObeyed()) {
      if (!scene.goesOn()) {
        return false;
      }
      idle();
    }
    return true;
  }

  /** Waits until all have done what was ordered, until then at most. */
  final boolean awaitFinished(long untilNs) {
    while (!isFinished()) {
      if (!scene.goesOn() || System.nanoTime() > untilNs) {
        return false;
      }
      idle();
    }
    return true;
  }

  /** Orders to read counters, and waits until all have, whatever the time. */
  private void insist(Orders.Kind kind) {
    while (!isObeyed()) {
      refuseFailure();
      idle();
    }
    scene.orders.give(++number, kind, 0, 0, 1, 1);
    if (self != null) {
      self.perform(kind);
    }
    while (!isFinished()) {
      refuseFailure();
      idle();
    }
  }

  private void refuseFailure() {
    if (scene.failure() != null) {
      throw new IllegalStateException("The trial has failed before.", scene.failure());
    }
  }

  private boolean isObeyed() {
    for (int each = firstFollower; each < scene.boards.length; each++) {
      if (scene.boards[each].obeyed < number) {
        return false;
      }
    }
    return true;
  }

  private boolean isFinished() {
    for (int each = firstFollower; each < scene.boards.length; each++) {
      if (scene.boards[each].finished < number) {
        return false;
      }
    }
    return true;
  }
}
