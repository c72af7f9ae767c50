package threadping.probe.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import threadping.probe.contract.Request;
import threadping.probe.contract.Result;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.MachineCounters;

/** Whoever decides what all workers do and opens the windows. */
abstract class Lead {
  /** Work as long as a look proves nothing alone: somebody may have waited for a CPU. */
  static final int PROOF = 2;

  /** A longer round is made of several loops of so many: seconds each, or minutes. */
  static final int LONGEST_LOOP = 1 << 30;

  /** A trial ends with so many windows, half of them the warm-up's at most: 80 MB. */
  static final int MOST_WINDOWS = 1 << 21;

  /** Of a stretch by whose pace it is told whether it is steady. */
  static final int LEAST_WINDOWS = 4;

  private static final int NO_WINDOW = -1;

  final Scene scene;
  final Worker self;
  final Request request;
  final Result.Windows windows;
  private final Jvm jvm = new Jvm();
  private final List<Integer> route;
  private Set<Integer> cpus = Set.of();

  private Order latest;

  /** Null while nobody asks. */
  private Steadiness steadiness;

  private long compiledMs;
  private long collections;

  /** The sum of all workers when they took up the order before the latest. */
  private long switches;

  /** The window whose switches are not known yet. */
  private int untold = NO_WINDOW;

  /** One that is itself this worker; null if it is none. */
  Lead(Scene scene, Worker self) {
    this.scene = scene;
    this.self = self;
    this.request = scene.request;
    this.windows = scene.result.windows;
    this.latest = scene.orders.latest();
    this.route = new ArrayList<>(IntStream.range(0, request.lines).boxed().toList());
    Collections.shuffle(route, new Random(request.seed));
    windows.switches = scene.readsSwitches() ? new long[0] : null;
    windows.compileMs = jvm.compileMs() == null ? null : new long[0];
  }

  // ---- the two leads ----

  /** What to do between two looks at the workers. */
  abstract void idle();

  /**
   * Finds out how long things are to take; returns how long an operation takes its thread, or null
   * if it was stopped. Begins nothing after the end.
   */
  abstract Double calibrate(long endNs) throws InterruptedException;

  /** So many throughput windows visit all lines. */
  abstract int stretch();

  /** Opens a throughput and a sampling window on a line. False if they were stopped. */
  abstract boolean visit(int line, int step) throws InterruptedException;

  /** A visit of the warm-up is over: what comes may be fitted anew. */
  void refit() {}

  // ---- what they share ----

  /** Warms up and measures; false if the bound, or somebody's failure, ended it before its time. */
  final boolean run() throws InterruptedException {
    if (!rest()) {
      return false;
    }
    Result result = scene.result;
    cpus = result.cpusInUse();
    scene.running = Math.min(scene.boards.length, cpus.size());
    if (request.outliers != null && !order(Order.Kind.OPEN, Task.NONE, scene.deadline)) {
      return false;
    }
    MachineCounters.risen(cpus); // once for nothing: the first reading loads and compiles much
    long start = System.nanoTime();
    boolean goesOn = warmUp(start + request.warmUp.limitNs);
    result.warmUpNs = System.nanoTime() - start;
    result.warmUpOps = scene.ops();
    windows.warmUp = windows.count;
    return goesOn && measure(request.measureNs);
  }

  /** Makes the very visits that will be measured; false if it was stopped. */
  private boolean warmUp(long endNs) throws InterruptedException {
    Double operationNs = calibrate(endNs);
    if (operationNs == null || request.warmUp.uninterrupted && !longRounds(operationNs, endNs)) {
      return false;
    }
    Double share = request.warmUp.steady;
    steadiness = new Steadiness(share == null ? 1 : share, stretch());
    Result.Ended ended = null;
    tellRuntime();
    for (int step = 0; (ended = ended(endNs)) == null; step++) {
      if (!visit(line(step), step)) {
        return false;
      }
      refit();
    }
    scene.result.warmUpEnded = ended;
    return true;
  }

  private Result.Ended ended(long endNs) {
    boolean isDone = scene.ops() >= request.warmUp.wantedOps();
    if (isDone && request.warmUp.steady == null) {
      return Result.Ended.ROUNDS;
    }
    if (isDone && steadiness.isSteady()) {
      return Result.Ended.STEADY;
    }
    boolean isOver = System.nanoTime() >= endNs || windows.count >= MOST_WINDOWS / 2;
    return isOver ? Result.Ended.LIMIT : null;
  }

  /**
   * Each round in one uninterrupted loop, on a line of its own, as long as the limit allows at this
   * pace. Where that was disturbed and time is left, the round goes on. False if it was stopped.
   */
  private boolean longRounds(double operationNs, long endNs) throws InterruptedException {
    int sharing = 0;
    for (boolean counts : scene.counts) {
      sharing += counts ? 1 : 0;
    }
    for (int round = 0; round < request.warmUp.rounds; round++) {
      long left = (request.warmUp.ops + sharing - 1) / sharing;
      while (left > 0) {
        long now = System.nanoTime();
        if (now >= endNs) {
          return true;
        }
        double affordable = Math.min((endNs - now) / Math.max(operationNs, 0.1) + 1, LONGEST_LOOP);
        int count = (int) Math.min(left, affordable);
        if (!perform(line(round), count)) {
          return false;
        }
        left -= count;
      }
    }
    return true;
  }

  /** Makes visits for so long, and counts what happens meanwhile. */
  private boolean measure(long ns) throws InterruptedException {
    Result result = scene.result;
    insist(Order.Kind.PREPARE);
    MachineCounters.risen(cpus);
    Long compileMs = jvm.compileMs();
    long collected = jvm.collections();
    scene.gate.forget();
    insist(Order.Kind.BEGIN);

    result.warmUpOps = scene.opsBefore();
    long start = System.nanoTime();
    boolean complete = true;
    for (int step = 0;
        complete && System.nanoTime() - start < ns && windows.count < MOST_WINDOWS;
        step++) {
      complete = visit(line(step), step);
    }

    insist(Order.Kind.END);
    result.measuredNs = System.nanoTime() - start;
    result.measuredOps = scene.measuredOps();
    result.collections = jvm.collections() - collected;
    result.compileMs = compileMs == null ? null : (Long) (jvm.compileMs() - compileMs);
    result.machine = MachineCounters.risen(cpus);
    order(Order.Kind.WORK, Task.NONE, Long.MAX_VALUE);
    order(Order.Kind.FINISH, Task.NONE, Long.MAX_VALUE);
    return complete;
  }

  /**
   * Keeps a window, of which one operation in so many was timed, as far as it came; {@link
   * #tellRuntime} is to follow.
   */
  final void keep(int line, int every, long ns, long[] ops) {
    windows.add(line, every, ns, ops);
    untold = windows.count - 1;
  }

  /** These windows are over: what the virtual machine did meanwhile was in the first of them. */
  final void tellRuntime(int... kept) {
    Long compiled = jvm.compileMs();
    long compiledNow = compiled == null ? 0 : compiled;
    long collectedNow = jvm.collections();
    for (int window : kept) {
      boolean isFirst = window == kept[0];
      if (windows.compileMs != null && isFirst) {
        windows.compileMs[window] = compiledNow - compiledMs;
      }
      steadiness.during(
          windows.ns[window], isFirst ? compiledNow - compiledMs : 0, collectedNow > collections);
      if (!windows.isSampling(window)) {
        steadiness.add(windows.ns[window], counted(window));
      }
    }
    compiledMs = compiledNow;
    collections = collectedNow;
  }

  private long counted(int window) {
    long sum = 0;
    for (int thread = 0; thread < windows.ops.length; thread++) {
      sum += scene.counts[thread] ? windows.ops[thread][window] : 0;
    }
    return sum;
  }

  /** The line of this step: all in an order that the seed shuffles, again and again. */
  final int line(int step) {
    return route.get(step % route.size());
  }

  // ---- orders ----

  /** Orders work once all have obeyed the order before; false if the bound passed first. */
  final boolean give(long count, Task task) {
    return give(Order.Kind.WORK, count, task, scene.deadline);
  }

  private boolean give(Order.Kind kind, long count, Task task, long untilNs) {
    if (!awaitAll(false, untilNs)) {
      return false;
    }
    latest = new Order(latest.number() + 1, kind, count, task);
    scene.orders.give(latest);
    return true;
  }

  final boolean awaitObeyed() {
    return awaitObeyed(scene.deadline);
  }

  private boolean awaitObeyed(long untilNs) {
    if (!awaitAll(false, untilNs)) {
      return false;
    }
    tellSwitches();
    return true;
  }

  /** All have just taken up an order: what came since the one before was the last window's. */
  private void tellSwitches() {
    if (windows.switches != null) {
      long now = 0;
      for (Board board : scene.boards) {
        now += board.switches;
      }
      if (untold != NO_WINDOW) {
        windows.switches[untold] = Math.max(0, now - switches);
        untold = NO_WINDOW;
      }
      switches = now;
    }
  }

  /**
   * Has all workers perform so many operations in one loop, and waits until they have. A stream
   * flows on until then, so that nobody waits for whom has done its part.
   */
  final boolean perform(int line, int count) throws InterruptedException {
    Task task = new Task(line, count, 0);
    if (!scene.isStream) {
      return give(count, task) && carryOut(scene.deadline);
    }
    long wanted = scene.ops() + count;
    if (!give(Order.UNTIL_TOLD, task) || !awaitObeyed()) {
      return false;
    }
    while (scene.ops() < wanted && scene.goesOn()) {
      idle();
    }
    return scene.goesOn();
  }

  /** Has all workers do nothing, and waits until they do. */
  final boolean rest() throws InterruptedException {
    return order(Order.Kind.WORK, Task.NONE, scene.deadline);
  }

  /** Has all read their counters, whatever the time. A stream flows on. */
  private void insist(Order.Kind kind) throws InterruptedException {
    order(kind, scene.isStream ? latest.task() : Task.NONE, Long.MAX_VALUE);
  }

  private boolean order(Order.Kind kind, Task task, long untilNs) throws InterruptedException {
    boolean flows = task.count() > 0;
    return give(kind, flows ? Order.UNTIL_TOLD : 0, task, untilNs)
        && (flows ? awaitObeyed(untilNs) : carryOut(untilNs));
  }

  private boolean carryOut(long untilNs) throws InterruptedException {
    if (self != null) {
      self.carryOut(latest);
    }
    return awaitObeyed(untilNs) && awaitAll(true, untilNs);
  }

  /** Waits until all others have come to the latest order; false if somebody failed, or by then. */
  private boolean awaitAll(boolean haveFinished, long untilNs) {
    for (int each = self == null ? 0 : 1; each < scene.boards.length; ) {
      Board board = scene.boards[each];
      if ((haveFinished ? board.finished : board.obeyed) >= latest.number()) {
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
