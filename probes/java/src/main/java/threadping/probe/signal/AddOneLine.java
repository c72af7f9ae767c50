package threadping.probe.signal;

import java.util.Map;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * The published ping-pong ("Inter Thread Latency", 2011): two counters next to each other in one
 * line, one writer each. A side spins on a volatile read of the other's counter, then adds one to
 * its own.
 *
 * <p>As published, the Java side adds with {@code ++} on a volatile: a load, a store and a full
 * fence, not an atomic add. The published C++ uses a locked add, and so does the C++ probe.
 *
 * <p>The write that must be seen is the other side's store. Because the counters share the line,
 * every load of a waiting side takes the line from the side that is about to write.
 */
final class AddOneLine implements SignalMechanism {
  @Override
  public String name() {
    return "add-one-line";
  }

  @Override
  public String summary() {
    return "The published ping-pong: two counters in one cache line, each side waits for the"
        + " other's and adds to its own.";
  }

  @Override
  public String cpuCost() {
    return "Burns both CPUs; the waiter's loads slow the writer, because both counters share the"
        + " line.";
  }

  @Override
  public boolean blocking() {
    return false;
  }

  @Override
  public Cells cells(int count, Map<String, Object> params) {
    return new Counters(new Lines(count));
  }

  private static final class Counters implements Cells {
    private final Lines lines;

    Counters(Lines lines) {
      this.lines = lines;
    }

    @Override
    public long pingTurn(int cell, long expected) {
      return turn(ping(cell), pong(cell), expected);
    }

    @Override
    public long pongTurn(int cell, long expected) {
      return turn(pong(cell), ping(cell), expected);
    }

    private long turn(long own, long theirs, long expected) {
      long wanted = TwoCounters.theirs(expected);
      long seen;
      do {
        seen = Words.getVolatile(theirs);
      } while (seen < wanted);
      if (seen != wanted) {
        return TwoCounters.handOvers(expected, seen);
      }
      Words.setVolatile(own, Words.getVolatile(own) + 1);
      return expected;
    }

    @Override
    public void stop(int cell) {
      Words.setVolatile(ping(cell), POISON);
      Words.setVolatile(pong(cell), POISON);
    }

    @Override
    public long peek(int cell) {
      return Words.getAcquire(ping(cell)) + Words.getAcquire(pong(cell));
    }

    private long ping(int cell) {
      return lines.first(cell);
    }

    private long pong(int cell) {
      return lines.first(cell) + Long.BYTES;
    }
  }
}
