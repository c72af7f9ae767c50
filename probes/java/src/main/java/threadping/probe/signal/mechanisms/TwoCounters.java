package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * What the lock-free protocols with one counter for each side share; how a side looks and how it
 * tells is the mechanism's. Ping's turns are even, pong's odd: before turn {@code expected} a side
 * has taken expected / 2 turns, and the other side as many, or one more if it is pong's turn.
 *
 * <p>The check of the sequence is the comparison that ends the wait; nothing else is added to the
 * protocol, above all no look at the own counter: after a locked add that costs more than the add
 * (docs/signal.md). A counter that somebody else wrote too is noticed by the other side.
 */
abstract class TwoCounters implements Cells {
  /** Where the counters of a cell stand: next to each other, as published, or apart. */
  enum Layout {
    ONE_LINE {
      @Override
      long pong(Lines lines, int cell) {
        return lines.first(cell) + Long.BYTES;
      }
    },
    TWO_LINES {
      @Override
      long pong(Lines lines, int cell) {
        return lines.second(cell);
      }
    };

    abstract long pong(Lines lines, int cell);
  }

  private final Lines lines;
  private final long pingToPong;
  private final Wait wait;

  TwoCounters(int count, Layout layout, Wait wait) {
    this.lines = new Lines(count);
    this.pingToPong = layout.pong(lines, 0) - lines.first(0);
    this.wait = wait;
  }

  /** Reads the other side's counter. */
  abstract long look(long theirs);

  /** Makes the own counter one more than {@code before}. */
  abstract void tell(long own, long before);

  @Override
  public final long pingTurn(int cell, long expected) {
    return turn(ping(cell), pong(cell), expected);
  }

  @Override
  public final long pongTurn(int cell, long expected) {
    return turn(pong(cell), ping(cell), expected);
  }

  private long turn(long own, long theirs, long expected) {
    Wait between = wait; // a local: a field would be read again after every look
    long wanted = (expected + 1) >>> 1;
    long state = between.start();
    long seen;
    while ((seen = look(theirs)) < wanted) {
      state = between.again(state);
    }
    if (seen != wanted) {
      return seen >= POISON ? seen : 2 * seen - (expected & 1);
    }
    tell(own, expected >>> 1);
    return expected;
  }

  /** A side that is just storing overwrites the poison; the watchdog therefore repeats it. */
  @Override
  public final void stop(int cell) {
    Words.setVolatile(ping(cell), POISON);
    Words.setVolatile(pong(cell), POISON);
  }

  @Override
  public final long peek(int cell) {
    return Words.getAcquire(ping(cell)) + Words.getAcquire(pong(cell));
  }

  final long ping(int cell) {
    return lines.first(cell);
  }

  private long pong(int cell) {
    return lines.first(cell) + pingToPong;
  }
}
