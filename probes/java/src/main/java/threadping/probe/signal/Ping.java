package threadping.probe.signal;

import threadping.probe.message.Request;
import threadping.probe.message.SignalResult;
import threadping.probe.platform.Jvm;
import threadping.probe.platform.Meter;
import threadping.probe.signal.mechanisms.Cells;
import threadping.probe.trial.Route;
import threadping.probe.trial.Surroundings;

/**
 * The side that decides everything and keeps the time: it sends pong to a line, takes its turns
 * there against the clock, looks at the time and goes on to the next line.
 *
 * <p>All that is timed is in {@link #visit}, written once for all mechanisms. A fresh virtual
 * machine that measures one mechanism sees one implementation of {@link Cells} there, and inlines
 * it. The warm-up makes the same visits, records them too and then forgets them, so that what
 * measures is what was compiled.
 */
final class Ping implements Runnable {
  private final Request request;
  private final SignalResult result;
  private final Cells cells;
  private final Orders orders;
  private final Route route;
  private final Meter meter;
  private final Surroundings surroundings;
  private final Readings readings;

  /** For each line the number of ping's next turn there. */
  private final long[] next;

  /** The hand-overs of this phase, pong's answers included. */
  private long ops;

  private SignalResult.Partial partial;

  /** The {@code route} is the order in which the lines are visited. */
  Ping(
      Request request,
      SignalResult result,
      Cells cells,
      Orders orders,
      Route route,
      Meter meter,
      Surroundings surroundings) {
    this.request = request;
    this.result = result;
    this.cells = cells;
    this.orders = orders;
    this.route = route;
    this.meter = meter;
    this.surroundings = surroundings;
    this.readings = new Readings(request.measureNs);
    this.next = new long[request.lines];
  }

  @Override
  public void run() {
    WarmUp warmUp = WarmUp.of(request);
    boolean whole = warmUp(warmUp);
    readings.clear();
    ops = 0;
    if (whole) {
      measure(warmUp.calibrated(readings.singlesLeft()));
    }
    result.lines = readings.blocksByLine(request.lines, result.blockRoundTrips);
    result.singles = readings.singlesByValue();
  }

  /** How many hand-overs a line must have seen when both sides have ended in peace. */
  long handOvers(int line) {
    return next[line];
  }

  private boolean warmUp(WarmUp warmUp) {
    long start = System.nanoTime();
    long now = start;
    boolean whole = true;
    for (int step = 0; whole && warmUp.goesOn(ops, now - start); step++) {
      long before = now;
      readings.clear();
      whole = visit(route.line(step), warmUp.visit());
      now = System.nanoTime();
      warmUp.took(now - before, ops, now - start);
      if (warmUp.isCompilerDue()) {
        Jvm.awaitIdleCompiler(request.warmupLimitNs / 4);
        now = System.nanoTime();
      }
    }
    result.warmupOps = ops;
    result.warmupNs = now - start;
    result.warmupComplete = warmUp.isComplete(ops);
    return whole;
  }

  private void measure(Visit visit) {
    surroundings.settle(request.warmupLimitNs / 4);
    surroundings.startMachine();
    orders.send(Orders.READ_COUNTERS, 0);
    orders.awaitAcknowledgement();
    meter.start();
    surroundings.startJvm();

    long start = System.nanoTime();
    long now = start;
    boolean whole = true;
    int room = readings.room();
    for (int step = 0; whole && now - start < request.measureNs && step < room; step++) {
      whole = visit(route.line(step), visit);
      now = System.nanoTime();
    }

    surroundings.stopJvm();
    result.threads.get(0).counters = meter.stop();
    orders.send(Orders.STOP, 0); // pong does not count what follows
    surroundings.stopMachine();
    result.measuredOps = ops;
    result.measuredNs = now - start;
    result.blockRoundTrips = visit.block;
    result.partial = partial != null && partial.roundTrips > 0 ? partial : null;
  }

  /**
   * Takes pong along to a line and back and forth there. False if the line was stopped.
   *
   * <p>A round trip is the time from the completion of one turn of ping to the completion of its
   * next. The single ones form a chain that begins where the block ends: no interval is hidden, and
   * each holds one reading of the clock.
   */
  private boolean visit(int line, Visit visit) {
    int singles = Math.min(visit.singles, readings.singlesLeft());
    orders.send(line, visit.leadIn + visit.block + singles);
    long expected = next[line];

    for (int left = visit.leadIn; left > 0; left--) {
      long seen = cells.pingTurn(line, expected);
      if (seen != expected) {
        return leave(line, expected, seen);
      }
      expected += 2;
    }

    long start = System.nanoTime();
    for (int left = visit.block; left > 0; left--) {
      long seen = cells.pingTurn(line, expected);
      if (seen != expected) {
        partial = new SignalResult.Partial(line, visit.block - left, System.nanoTime() - start);
        return leave(line, expected, seen);
      }
      expected += 2;
    }
    long last = System.nanoTime();
    readings.addBlock(line, last - start);

    for (int left = singles; left > 0; left--) {
      long seen = cells.pingTurn(line, expected);
      if (seen != expected) {
        return leave(line, expected, seen);
      }
      expected += 2;
      long now = System.nanoTime();
      readings.addSingle(now - last);
      last = now;
    }
    return leave(line, expected, cells.awaitAnswer(line, expected));
  }

  /** Counts the turns that were taken on a line. False if it was stopped. */
  private boolean leave(int line, long expected, long seen) {
    ops += expected - next[line];
    next[line] = expected;
    return SequenceBroken.isWhole(expected, seen);
  }
}
