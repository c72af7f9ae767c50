package threadping.probe.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.LongStream;
import threadping.probe.Failure;
import threadping.probe.Params;
import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.lock.mechanisms.LockMechanism;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.Meter;
import threadping.probe.platform.RunLengths;
import threadping.probe.trial.Pins;

/**
 * The workers as their coordinator sees them: it gives them orders, waits until all obey, and looks
 * at what they have made. What fails in a worker, or takes longer than the bound, ends every wait.
 */
final class Staff {
  /** Of all threads together: 8 MB. */
  private static final int MOST_WAITS = 1 << 20;

  private static final long NAP_NS = 20_000;

  /** Workers that move no count for so long, each having had a CPU, never will. */
  private static final long PATIENCE_NS = 500_000_000;

  private static final int MOST_CROWDING_TO_BEAR = 4;

  private final Cell[] cells;
  private final Orders orders = new Orders();
  private final Board board;
  private final Pins pins;
  private final List<Worker> workers = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private long deadline;
  private long number;
  private int crowding = 1;

  /** The first failure of a worker; there is nothing to measure then. */
  private volatile Throwable failure;

  Staff(Request request, LockResult result, LockMechanism mechanism, Params params) {
    int count = request.cpus.size();
    this.cells = mechanism.cells(request.lines, count);
    this.board = new Board(count);
    this.pins = new Pins(request);
    MeasuringThreads platform = mechanism.threads();
    List<Meter> meters = platform.meters(count);
    int critical = (int) params.number(LockMechanism.CRITICAL.name);
    int outside = (int) params.number(LockMechanism.OUTSIDE.name);
    for (int index = 0; index < count; index++) {
      int thread = index;
      Worker worker =
          new Worker(
              thread,
              result.threads.get(thread),
              meters.get(thread),
              cells,
              orders,
              board,
              new PlainLoop(thread, critical, outside),
              new SampledLoop(thread, critical, outside, MOST_WAITS / count));
      workers.add(worker);
      threads.add(platform.make(Lock.ROLE, () -> run(thread, worker)));
    }
  }

  private void run(int thread, Worker worker) {
    try {
      worker.work(pins.pinThread(thread));
    } catch (Throwable error) {
      fail(error);
    }
  }

  /** What fails first is the cause of what may fail next. */
  private synchronized void fail(Throwable error) {
    failure = failure == null ? error : failure;
  }

  /**
   * Starts all workers, or none. From now on they have so long. Throws Failure(UNSUPPORTED) when
   * the system refuses some.
   */
  void start(long boundNs) {
    pins.pinProcess();
    deadline = System.nanoTime() + boundNs;
    for (int started = 0; started < threads.size(); started++) {
      try {
        threads.get(started).start();
      } catch (OutOfMemoryError refusal) {
        threads.subList(started, threads.size()).clear();
        dismiss();
        throw tooMany(started, refusal);
      }
    }
  }

  private Failure tooMany(int started, OutOfMemoryError refusal) {
    return new Failure(
        Failure.Code.UNSUPPORTED,
        String.format(
            Locale.ROOT,
            "Only %,d of %,d threads could be started (%s). The system's limit on threads is in"
                + " ulimit -u, the cgroup's pids.max or kernel.threads-max: ask for fewer with"
                + " --threads.",
            started,
            workers.size(),
            refusal.getMessage()),
        refusal);
  }

  /** How many rounds of all threads it takes until each has had a CPU. */
  void areCrowded(int newCrowding) {
    crowding = newCrowding;
  }

  // ---- orders: each gives true if it was carried out in time, and nothing has failed ----

  /** Waits until all obey. */
  boolean order(Order.Kind kind) {
    return give(Order.to(++number, kind));
  }

  /**
   * Lets all come to rest, and waits until all work. One that is starved of the lock would not look
   * at its orders as long as the others go on: a spinning thread that shares its CPU with the
   * lock's holder can wait for seconds.
   */
  boolean order(int line, Stint stint) {
    return order(Order.Kind.HOLD) && give(Order.work(++number, line, stint));
  }

  private boolean give(Order order) {
    orders.give(order);
    return await(() -> board.isObeyed(order.number));
  }

  /** Waits until all have done what the latest order asks for. */
  boolean awaitFinish() {
    return await(() -> board.isFinished(number));
  }

  private boolean await(BooleanSupplier done) {
    while (!done.getAsBoolean()) {
      if (!isInTime()) {
        return false;
      }
      LockSupport.parkNanos(NAP_NS);
    }
    return isInTime();
  }

  boolean isInTime() {
    return failure == null && System.nanoTime() < deadline;
  }

  /** Sleeps until then, or until the bound. */
  void sleepUntil(long time) {
    long end = Math.min(time, deadline);
    for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
      LockSupport.parkNanos(left);
    }
  }

  /** The operations of each worker so far. */
  long[] made() {
    return board.made();
  }

  // ---- the end ----

  /**
   * Has all read their counters, however long it takes. Throws Failure(STALLED) where nobody moves
   * any more.
   */
  void end() {
    Order order = Order.to(++number, Order.Kind.END);
    orders.give(order);
    awaitTheLast(() -> board.isObeyed(order.number));
  }

  /** The same, and has them leave. Throws what failed in one of them. */
  void dismiss() {
    orders.give(Order.to(++number, Order.Kind.LEAVE));
    awaitTheLast(() -> threads.stream().noneMatch(Thread::isAlive));
    if (failure instanceof Failure) {
      throw (Failure) failure;
    }
    if (failure != null) {
      throw new IllegalStateException("A measuring thread failed: " + failure, failure);
    }
  }

  /** Where something has failed, others may wait for ever: nobody waits for them. */
  private void awaitTheLast(BooleanSupplier done) {
    long patienceNs = PATIENCE_NS * Math.min(crowding, MOST_CROWDING_TO_BEAR);
    long progress = progress();
    long moved = System.nanoTime();
    while (failure == null && !done.getAsBoolean()) {
      LockSupport.parkNanos(NAP_NS);
      long now = System.nanoTime();
      if (now - moved > patienceNs) {
        long before = progress;
        progress = progress();
        if (progress == before) {
          throw new Failure(
              Failure.Code.STALLED,
              "No thread gets the lock any more: a release was lost, or the lock deadlocks.");
        }
        moved = now;
      }
    }
  }

  /** Something that moves with every operation, also in the middle of a long call. */
  private long progress() {
    return LongStream.of(made()).sum() + found();
  }

  /** What all counters hold. */
  long found() {
    long found = 0;
    for (Cell cell : cells) {
      found += cell.found();
    }
    return found;
  }

  /** What all have timed, once they have left. */
  RunLengths waits() {
    long[] waits =
        workers.stream().flatMapToLong(worker -> LongStream.of(worker.waits())).toArray();
    return RunLengths.of(waits, waits.length);
  }
}
