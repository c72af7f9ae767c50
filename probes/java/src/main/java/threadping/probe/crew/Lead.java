package threadping.probe.crew;

import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.MachineCounters;

/** Whoever decides what all members do and opens the windows. */
abstract class Lead {
  /** Parts of the warm-up's limit that a rehearsal, and the waits for the compiler, may take. */
  private static final int PARTS = 8;

  private static final int REHEARSED = 6500;

  /** Members that wait for orders sleep by then. */
  private static final long LONGER_THAN_AWAKE_NS = 200_000;

  /** How long a call is in a lesson: C2 unrolls no loop further than it has mostly turned. */
  static final int LESSON_OPS = 20;

  /** Work as long as a look proves nothing alone: somebody may have waited for a CPU. */
  static final int PROOF = 2;

  /** A longer round is made of several loops of so many: seconds each, or minutes. */
  static final int LONGEST_LOOP = 1 << 30;

  /**
   * A trial ends with so many windows, which are 60 MB: some minutes of the quickest operations.
   */
  static final int MOST_WINDOWS = 1 << 21;

  final Scene scene;
  final Member self;
  final Request request;
  private final Jvm jvm = new Jvm();
  private final List<Integer> route;
  private Set<Integer> cpus = Set.of();
  private Order latest;

  /** One that is itself this member; null if it is none. */
  Lead(Scene scene, Member self) {
    this.scene = scene;
    this.self = self;
    this.request = scene.request;
    this.latest = scene.orders.latest();
    this.route = IntStream.range(0, request.lines).boxed().collect(Collectors.toList());
    Collections.shuffle(route, new Random(request.seed));
  }

  // ---- the two leads ----

  /** What to do between two looks at the members. */
  abstract void idle();

  /** Works until as much is done as the request wants. */
  abstract boolean warmUp(long endNs);

  /** Fits the visits to what an operation takes, once all is warmed up. */
  abstract boolean fit(long endNs);

  /** Opens a plain and a timed window on a line. False if they were stopped. */
  abstract boolean visit(int line, int step);

  // ---- what they share ----

  /** Warms up and measures; false if the bound, or somebody's failure, ended it before its time. */
  final boolean run() {
    if (!rest()) {
      return false;
    }
    Result result = scene.result;
    cpus = result.cpusInUse();
    long limitNs = request.warmUp.limitNs;
    long start = System.nanoTime();
    boolean goesOn = request.outliers == null || openEyes(limitNs);
    goesOn = goesOn && prepare(start, limitNs);
    result.warmUpNs = System.nanoTime() - start;
    result.warmUpComplete = goesOn && scene.ops() >= request.warmUp.wantedOps();
    result.windows.count = 0;
    return goesOn && measure(request.measureNs);
  }

  /** Looks are learnt in steps, as lessons are (see {@link #teach}). */
  private boolean openEyes(long limitNs) {
    boolean goesOn = order(Order.Kind.OPEN, scene.deadline);
    for (int step = 0; goesOn && step < 2; step++) {
      goesOn = order(Order.Kind.LOOK, scene.deadline);
    }
    return goesOn;
  }

  /** Lessons come before short rounds, and after long ones, whose loop is to learn by itself. */
  private boolean prepare(long startNs, long limitNs) {
    MachineCounters.of(cpus); // once for nothing: the first reading loads and compiles much
    new Recorder().exercise();
    boolean goesOn = rehearse(limitNs);
    if (goesOn && !request.warmUp.uninterrupted) {
      teach(startNs + limitNs / PARTS * 6, request.warmUp.wantedOps());
      goesOn = warmUp(startNs + limitNs);
    } else if (goesOn) {
      goesOn = warmUp(startNs + limitNs / PARTS * 7);
      teach(startNs + limitNs, Long.MAX_VALUE);
    }
    goesOn = goesOn && rest();
    if (goesOn) {
      scene.loops().warmedUp();
      goesOn = fit(startNs + limitNs) && rest();
    }
    return goesOn;
  }

  /**
   * Short calls from which the virtual machine learns the timed loops as methods: a method is
   * compiled for good after so many calls, and with long ones only, every call would begin in slow
   * code and be replaced under way (OSR). HotSpot takes a first step after some 200 calls, and the
   * second after 600 more that are 15,000 turns of the loop (compilationPolicy.cpp). It compiles in
   * the background: what is called too early is not learnt twice, so the compiler is awaited. Every
   * member calls that often, since threads that count together lose counts.
   */
  private void teach(long untilNs, long mostOps) {
    if (teach(300, 1, untilNs, mostOps)) {
      teach(1000, LESSON_OPS, untilNs, mostOps);
    }
  }

  /**
   * Orders grow, so that slow operations are noticed and several threads meet. False if it would go
   * on for longer, or after so many operations.
   */
  private boolean teach(int wanted, int ops, long untilNs, long mostOps) {
    int calls;
    for (int done = 0; done < wanted; done += calls) {
      calls = Math.min(done + 1, wanted - done);
      boolean isTooMuch = System.nanoTime() > untilNs || scene.ops() >= mostOps;
      if (isTooMuch || !perform(line(done), 2L * ops * calls, 2 * ops, ops, untilNs)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Visits with loops that do nothing, of each kind (see {@link IdleLoops}) and with both loops,
   * until what is called once in each is compiled for good, if time allows: after 5,000 calls
   * (Tier4InvocationThreshold), which is noticed at a multiple of 1024 (Tier3InvokeNotifyFreqLog).
   * Between two rounds the members fall asleep, so that waking them is rehearsed too.
   */
  private boolean rehearse(long limitNs) {
    Loops loops = scene.loops();
    Loops[] idle = IdleLoops.kinds(loops, givingWay());
    boolean goesOn = true;
    boolean isOver = false;
    long end = System.nanoTime() + limitNs / 6;
    int visits = 0;
    for (int round = 0; goesOn && !isOver; round++) {
      scene.perform(idle[round % idle.length], 0);
      scene.result.windows.every = round < idle.length ? 2 : 1 + round % 2;
      long next = System.nanoTime() + limitNs / 48;
      for (int each = 0; goesOn && each < 100 && System.nanoTime() < next; each++) {
        goesOn = visit(line(visits), visits);
        visits++;
      }
      goesOn = goesOn && rest();
      LockSupport.parkNanos(LONGER_THAN_AWAKE_NS);
      isOver = round + 1 >= idle.length && (System.nanoTime() > end || visits >= REHEARSED);
    }
    scene.result.windows.every = 1;
    if (goesOn) { // otherwise some may still be at it
      scene.perform(loops, 1);
    }
    return goesOn;
  }

  /** Virtual threads sleep for it: yielding ones leave no carrier to those that are woken. */
  private Runnable givingWay() {
    if (!scene.isCrowded) {
      return () -> {};
    }
    return scene.isVirtual ? () -> LockSupport.parkNanos(1) : Thread::yield;
  }

  /**
   * Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this
   * pace. Where that was disturbed and time is left, the round goes on. False if it was stopped.
   */
  final boolean longRounds(double operationNs, long endNs) {
    long threads = scene.counted();
    for (int round = 0; round < request.warmUp.rounds; round++) {
      long left = (request.warmUp.ops + threads - 1) / threads;
      while (left > 0) {
        long now = System.nanoTime();
        if (now >= endNs) {
          return true;
        }
        double affordable = Math.min((endNs - now) / Math.max(operationNs, 0.1) + 1, LONGEST_LOOP);
        int count = (int) Math.min(left, affordable);
        if (!perform(line(round), count, count, 0, Long.MAX_VALUE)) {
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
    order(Order.Kind.PREPARE, Long.MAX_VALUE);
    scene.loops().begin();
    MachineCounters machine = MachineCounters.of(cpus);
    Long compileMs = jvm.compileMs();
    long collections = jvm.collections();
    order(Order.Kind.BEGIN, Long.MAX_VALUE);

    long ops = scene.ops();
    long start = System.nanoTime();
    boolean complete = true;
    for (int step = 0;
        complete && System.nanoTime() - start < ns && result.windows.count < MOST_WINDOWS;
        step++) {
      complete = visit(line(step), step);
    }

    order(Order.Kind.END, Long.MAX_VALUE);
    result.measuredNs = System.nanoTime() - start;
    result.measuredOps = scene.ops() - ops;
    result.collections = jvm.collections() - collections;
    result.compileMs = compileMs == null ? null : (Long) (jvm.compileMs() - compileMs);
    result.machine = MachineCounters.of(cpus).since(machine);
    order(Order.Kind.FINISH, Long.MAX_VALUE);
    return complete;
  }

  /** The line of this step: all in an order that the seed shuffles, again and again. */
  final int line(int step) {
    return route.get(step % route.size());
  }

  /** How many members can run at once. */
  final int running() {
    return Math.min(request.cpus.size(), cpus.size());
  }

  // ---- orders ----

  /** Orders work once all have obeyed the order before; false if the bound passed first. */
  final boolean give(int line, long count, int chunk, int timed) {
    return give(Order.Kind.WORK, line, count, chunk, timed, scene.deadline);
  }

  private boolean give(Order.Kind kind, int line, long count, int chunk, int timed, long untilNs) {
    if (!awaitAll(board -> board.obeyed, untilNs)) {
      return false;
    }
    latest = new Order(latest.number + 1, kind, line, count, chunk, timed);
    scene.orders.give(latest);
    return true;
  }

  final boolean awaitObeyed() {
    return awaitAll(board -> board.obeyed, scene.deadline);
  }

  /** Has all members perform this, and waits until they have; not beyond that time. */
  final boolean perform(int line, long count, int chunk, int timed, long untilNs) {
    return give(line, count, chunk, timed) && carryOut(Math.min(untilNs, scene.deadline));
  }

  /** Has all members do nothing, and waits until they do. */
  final boolean rest() {
    return order(Order.Kind.REST, scene.deadline);
  }

  /** Has all members do what is no work, and waits until they have. */
  private boolean order(Order.Kind kind, long untilNs) {
    return give(kind, 0, 0, 1, 0, untilNs) && carryOut(untilNs);
  }

  private boolean carryOut(long untilNs) {
    if (self != null) {
      self.carryOut(latest);
    }
    return awaitAll(board -> board.finished, untilNs);
  }

  /** Waits until all others have come to the latest order; false if somebody failed, or by then. */
  private boolean awaitAll(ToLongFunction<Board> reached, long untilNs) {
    for (int each = self == null ? 0 : 1; each < scene.boards.length; ) {
      if (reached.applyAsLong(scene.boards[each]) >= latest.number) {
        each++;
      } else if (scene.failure() == null && System.nanoTime() < untilNs) {
        idle();
      } else {
        return false;
      }
    }
    return true;
  }
}
