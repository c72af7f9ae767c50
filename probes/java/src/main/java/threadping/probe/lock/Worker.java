package threadping.probe.lock;

import java.util.List;
import threadping.probe.lock.mechanisms.Cell;
import threadping.probe.message.Result;
import threadping.probe.platform.LinePair;
import threadping.probe.platform.Meter;
import threadping.probe.platform.Pinning;

/**
 * A thread that shares the counters: it calls the timed loop that the order names, again and again,
 * and looks at the order between two calls. What it counts itself stands on lines of its own.
 */
final class Worker extends LinePair {
  private final int thread;
  private final Result.MeasuringThread own;
  private final Meter meter;
  private final Cell[] cells;
  private final Orders orders;
  private final Board board;
  private final TimedLoop idle = new IdleLoop();
  private final TimedLoop plain;
  private final SampledLoop sampled;

  private Order order;
  private TimedLoop loop = idle;
  private Cell cell;
  private int callsLeft;
  private long made;
  private boolean measuring;

  Worker(
      int thread,
      Result.MeasuringThread own,
      Meter meter,
      Cell[] cells,
      Orders orders,
      Board board,
      PlainLoop plain,
      SampledLoop sampled) {
    this.thread = thread;
    this.own = own;
    this.meter = meter;
    this.cells = cells;
    this.orders = orders;
    this.board = board;
    this.plain = plain;
    this.sampled = sampled;
    this.cell = cells[0];
  }

  /** Works where it stands, on these CPUs as read back, until it is told to leave. */
  void work(List<Integer> cpus) throws InterruptedException {
    own.cpusStart = cpus;
    own.cpusEnd = cpus;
    while (turn()) {
      // All is in the turn: a method that is called so often is compiled as one.
    }
  }

  /** Obeys the latest order, for the length of one call. False if that was to leave. */
  private boolean turn() throws InterruptedException {
    Order latest = orders.latest();
    if (latest != order) {
      obey(latest);
      order = latest;
      board.obey(thread, latest.number);
    }
    if (callsLeft == 0) {
      return rest();
    }
    callsLeft--;
    int count = latest.chunk;
    loop.perform(cell, count);
    made += count;
    board.publish(thread, made);
    return true;
  }

  private boolean rest() throws InterruptedException {
    board.finish(thread, order.number);
    if (order.kind == Order.Kind.LEAVE) {
      return false;
    }
    orders.awaitOther(order);
    return true;
  }

  private void obey(Order latest) {
    callsLeft = latest.calls;
    cell = cells[latest.line];
    loop = idle;
    switch (latest.kind) {
      case PLAIN:
        loop = plain;
        break;
      case SAMPLED:
        loop = sampled;
        if (!measuring) {
          sampled.clear();
        }
        sampled.time(latest.every, latest.room);
        break;
      case BEGIN:
        sampled.clear();
        measuring = true;
        meter.start();
        break;
      case END:
        own.counters = meter.stop();
        own.cpusEnd = Pinning.allowedCpus();
        break;
      default:
    }
  }

  /** The waits that it has timed while measuring, once it has left. */
  long[] waits() {
    return measuring ? sampled.waits() : new long[0];
  }
}
