package threadping.probe.signal;

import threadping.probe.message.Result;
import threadping.probe.platform.Meter;
import threadping.probe.signal.mechanisms.Cells;

/** The side that echoes: it does what ping orders and answers on the line that ping names. */
final class Pong implements Runnable {
  private final Result.MeasuringThread own;
  private final Meter meter;
  private final Cells cells;
  private final Orders orders;

  /** For each line the turns that pong has taken there. */
  private final long[] taken;

  Pong(Result.MeasuringThread own, Meter meter, Cells cells, Orders orders, int lines) {
    this.own = own;
    this.meter = meter;
    this.cells = cells;
    this.orders = orders;
    this.taken = new long[lines];
  }

  @Override
  public void run() {
    boolean echoing = true; // once stopped it only waits for the end
    for (int line = orders.receive(); line != Orders.STOP; line = orders.receive()) {
      if (line == Orders.READ_COUNTERS) {
        meter.start();
        orders.acknowledge();
      } else if (echoing) {
        echoing = echo(line, orders.turns());
      }
    }
    own.counters = meter.stop();
  }

  /** Takes so many turns. False if the line was stopped. */
  private boolean echo(int line, int turns) {
    long expected = 2 * taken[line] + 1;
    for (int left = turns; left > 0; left--) {
      long seen = cells.pongTurn(line, expected);
      if (seen != expected) {
        return SequenceBroken.isWhole(expected, seen);
      }
      expected += 2;
    }
    taken[line] += turns;
    return true;
  }
}
