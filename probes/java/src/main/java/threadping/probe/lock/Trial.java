package threadping.probe.lock;

import java.util.stream.LongStream;
import threadping.probe.Params;
import threadping.probe.lock.mechanisms.LockMechanism;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;
import threadping.probe.platform.Clock;
import threadping.probe.platform.Jvm;
import threadping.probe.trial.Route;
import threadping.probe.trial.Surroundings;

/**
 * One trial of one mechanism: as many workers as the request has threads, a pool of lines, and the
 * calling thread, which coordinates them and watches over them.
 *
 * <p>All workers perform operations on one line, as fast as they can, until the coordinator orders
 * them to the next. It opens a window when all have arrived, sleeps, and closes it: it only ever
 * looks at their counts, so that no start and no end of a thread falls into a window, and nothing
 * but the operations into the threads' time.
 */
final class Trial {
  private final Request request;
  private final LockResult result;
  private final Staff staff;
  private final Route route;
  private final Surroundings surroundings;
  private final boolean exact;
  private int running;
  private int chunk;

  Trial(Request request, LockMechanism mechanism, Params params) {
    this.request = request;
    this.result = new LockResult(Lock.ROLE, request.cpus.size());
    this.staff = new Staff(request, result, mechanism, params);
    this.route = new Route(request.lines, request.seed);
    this.surroundings = new Surroundings(result);
    this.exact = mechanism.exact();
  }

  /** Measures. Throws Failure for what the contract calls an error. */
  LockResult run() {
    result.experiment = request.experiment;
    result.mechanism = request.mechanism;
    result.clock = Clock.measure();
    staff.start(request.boundNs);
    result.cut = !(staff.order(Order.Kind.HOLD) && warmUp() && measure());
    staff.dismiss();
    result.waits = staff.waits();
    result.exact = exact;
    result.made = sum(staff.made());
    result.found = staff.found();
    if (exact) {
      CountWrong.check(result.made, result.found);
    }
    return result;
  }

  /** False if the bound passed, or something failed, before it was over. */
  private boolean warmUp() {
    int threads = request.cpus.size();
    int cpus = result.cpusInUse().size();
    running = Math.min(threads, cpus);
    staff.areCrowded(Pace.crowding(threads, cpus));
    WarmUp warmUp = WarmUp.of(request, cpus, result.clock.costNs);
    // A busy compiler takes the first lessons for less than they are (C1 without a profile).
    Jvm.awaitIdleCompiler(request.warmupLimitNs / 4);
    long start = System.nanoTime();
    boolean whole = true;
    for (int step = 0; whole; step++) {
      if (!warmUp.goesOn(sum(staff.made()), System.nanoTime() - start)) {
        break;
      }
      whole = take(warmUp, route.line(step), start);
    }
    chunk = warmUp.chunk();
    whole = whole && staff.order(Order.Kind.HOLD);
    surroundings.settle(request.warmupLimitNs / 4);
    whole = whole && pace(warmUp.lookNs()) && staff.order(Order.Kind.HOLD);
    result.warmupOps = sum(staff.made());
    result.warmupNs = System.nanoTime() - start;
    result.warmupComplete = whole && warmUp.isComplete(result.warmupOps);
    return whole;
  }

  /** A last look, when all is compiled: how long a chunk is, and how often one is timed. */
  private boolean pace(long lookNs) {
    if (!staff.order(route.line(0), Stint.untilTold(false, chunk, 1))) {
      return false;
    }
    long ops = sum(staff.made());
    long start = System.nanoTime();
    staff.sleepUntil(start + lookNs);
    double operationNs =
        Pace.operationNs(System.nanoTime() - start, sum(staff.made()) - ops, running);
    chunk = Pace.nextChunk(operationNs, chunk);
    result.every = Pace.every(operationNs, result.clock.costNs);
    return staff.isInTime();
  }

  /** One step of the warm-up. */
  private boolean take(WarmUp warmUp, int line, long start) {
    Stint stint = warmUp.stint();
    long before = System.nanoTime();
    if (!staff.order(line, stint)) {
      return false;
    }
    long opsBefore = 0;
    if (stint.isLook()) {
      before = System.nanoTime();
      opsBefore = sum(staff.made());
      staff.sleepUntil(before + warmUp.lookNs());
    } else if (!staff.awaitFinish()) {
      return false;
    }
    long ops = sum(staff.made());
    long now = System.nanoTime();
    warmUp.took(ops - opsBefore, now - before, ops, now - start);
    if (warmUp.isCompilerDue()) {
      Jvm.awaitIdleCompiler(request.warmupLimitNs / 4);
    }
    return staff.isInTime();
  }

  /** False if the bound passed before it was over. */
  private boolean measure() {
    surroundings.startMachine();
    if (!staff.order(Order.Kind.BEGIN)) {
      return false;
    }
    surroundings.startJvm();
    Lengths lengths = new Lengths(request.measureNs, Pace.crowding(request.cpus.size(), running));
    long opsBefore = sum(staff.made());
    long start = System.nanoTime();
    boolean whole = true;
    for (int step = 0; whole && System.nanoTime() - start < request.measureNs; step++) {
      whole = visit(route.line(step), step % 2 == 1, lengths);
    }
    surroundings.stopJvm();
    staff.end();
    result.measuredNs = System.nanoTime() - start;
    result.measuredOps = sum(staff.made()) - opsBefore;
    surroundings.stopMachine();
    return whole;
  }

  /**
   * A plain and a sampled window on one line; false if the bound has passed. Which comes first
   * alternates, so that what drifts falls on both alike.
   */
  private boolean visit(int line, boolean sampledFirst, Lengths lengths) {
    return sampledFirst
        ? open(true, line, lengths.sampledNs) && open(false, line, lengths.plainNs)
        : open(false, line, lengths.plainNs) && open(true, line, lengths.sampledNs);
  }

  /** A window of this length, or until the bound, of which it then tells. */
  private boolean open(boolean sampled, int line, long ns) {
    if (!staff.order(line, Stint.untilTold(sampled, chunk, result.every))) {
      return false;
    }
    long[] ops = staff.made();
    long start = System.nanoTime();
    staff.sleepUntil(start + ns);
    long[] after = staff.made();
    long took = Math.max(1, System.nanoTime() - start);
    for (int thread = 0; thread < ops.length; thread++) {
      ops[thread] = after[thread] - ops[thread];
    }
    result.windows.add(new LockResult.Window(line, sampled, took, ops));
    chunk = Pace.nextChunk(Pace.operationNs(took, sum(ops), running), chunk);
    return staff.isInTime();
  }

  private static long sum(long[] ops) {
    return LongStream.of(ops).sum();
  }
}
