package threadping.probe.signal;

import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import threadping.probe.Failure;
import threadping.probe.Params;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.message.SignalResult;
import threadping.probe.platform.Clock;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;
import threadping.probe.signal.mechanisms.Cells;
import threadping.probe.signal.mechanisms.SignalMechanism;
import threadping.probe.trial.Pins;
import threadping.probe.trial.Route;
import threadping.probe.trial.Surroundings;

/**
 * One trial of one mechanism: two threads, a pool of lines, and the calling thread as their
 * watchdog.
 *
 * <p>Whoever finds a broken sequence stops the lines, so that the other does not wait for ever; a
 * lost hand-over shows as a bound that passes without progress.
 */
final class Trial {
  private static final int PING = 0;
  private static final int PONG = 1;

  /** Two threads that spin on one CPU hand over at least every few time slices. */
  private static final long STALLED_AFTER_MS = 1000;

  private static final int STOP_TRIES = 1000;

  private final Request request;
  private final SignalResult result;
  private final Pins pins;
  private final MeasuringThreads threads;
  private final Cells cells;
  private final Orders orders = new Orders();
  private final Ping ping;
  private final Pong pong;
  private final CountDownLatch start = new CountDownLatch(2);
  private final CountDownLatch end = new CountDownLatch(2);

  /** The first failure of a side; there is nothing to measure then. */
  private volatile Throwable failure;

  Trial(Request request, SignalMechanism mechanism, Params params) {
    this.request = request;
    this.result = new SignalResult(Signal.ROLES);
    this.cells = mechanism.cells(request.lines, params);
    this.pins = new Pins(request);
    this.threads = mechanism.threads();
    List<Meter> meters = threads.meters(result.threads.size());
    Route route = new Route(request.lines, request.seed);
    Surroundings surroundings = new Surroundings(result);
    this.ping = new Ping(request, result, cells, orders, route, meters.get(PING), surroundings);
    this.pong = new Pong(result.threads.get(PONG), meters.get(PONG), cells, orders, request.lines);
  }

  /** Measures. Throws Failure for what the contract calls an error. */
  SignalResult run() throws InterruptedException {
    result.experiment = request.experiment;
    result.mechanism = request.mechanism;
    result.clock = Clock.measure();
    pins.pinProcess();
    launch(PING, ping);
    launch(PONG, pong);
    boolean stalled = watch();
    if (failure instanceof Failure) {
      throw (Failure) failure;
    }
    if (failure != null) {
      throw new IllegalStateException("A measuring thread failed: " + failure, failure);
    }
    if (stalled) {
      throw new Failure(Failure.Code.STALLED, "No hand-over arrives any more: a signal was lost.");
    }
    if (!result.cut) {
      checkCounts();
    }
    return result;
  }

  private void launch(int side, Runnable turns) {
    Result.MeasuringThread own = result.threads.get(side);
    threads.make(own.role, () -> runSide(side, own, turns)).start();
  }

  /** One measuring thread, from its pin to its end. */
  private void runSide(int side, Result.MeasuringThread own, Runnable turns) {
    try {
      own.cpusStart = pins.pinThread(side);
    } catch (Throwable error) {
      fail(error);
    }
    try {
      start.countDown();
      start.await();
      if (failure == null) {
        turns.run();
        own.cpusEnd = Pinning.allowedCpus();
      }
    } catch (Throwable error) {
      fail(error);
    }
    if (side == PING) {
      orders.send(Orders.STOP, 0);
    }
    end.countDown();
    if (failure != null) {
      stopLines();
    }
  }

  /** What fails first is the cause of what may fail next. */
  private synchronized void fail(Throwable error) {
    failure = failure == null ? error : failure;
  }

  /**
   * Sleeps until both sides have ended. When the bound passes first, it stops them, and finds out
   * whether they were slow or stalled, which it returns.
   */
  private boolean watch() throws InterruptedException {
    if (end.await(request.boundNs, TimeUnit.NANOSECONDS)) {
      return false;
    }
    long before = progress();
    if (end.await(STALLED_AFTER_MS, TimeUnit.MILLISECONDS)) {
      return false;
    }
    boolean stalled = progress() == before;
    result.cut = true;
    if (!stopLines()) {
      throw new Failure(
          Failure.Code.STALLED,
          "The threads did not end when they were stopped: the mechanism hangs.");
    }
    return stalled;
  }

  private long progress() {
    long all = 0;
    for (int line = 0; line < request.lines; line++) {
      all += cells.peek(line);
    }
    return all;
  }

  /**
   * Stops every line again and again, since a side that is just storing may overwrite the poison.
   * Gives up, and returns false, after a second.
   */
  private boolean stopLines() {
    try {
      for (int attempt = 0; attempt < STOP_TRIES; attempt++) {
        for (int line = 0; line < request.lines; line++) {
          cells.stop(line);
        }
        if (end.await(1, TimeUnit.MILLISECONDS)) {
          return true;
        }
      }
    } catch (InterruptedException impossible) {
      throw new IllegalStateException(impossible);
    }
    return false;
  }

  /** Whether each line saw as many hand-overs as ping knows of: the last one may be doubled. */
  private void checkCounts() {
    for (int line = 0; line < request.lines; line++) {
      SequenceBroken.isWhole(ping.handOvers(line), cells.peek(line));
    }
  }
}
