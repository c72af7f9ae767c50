package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * One word in one line. Each side tries to compare-and-swap it from its turn to the next, with no
 * load before the try: the protocol of core-to-core-latency's first benchmark, with a sequence
 * number in place of its flag.
 *
 * <p>The line moves in exclusive state on every try, also on those that fail; the write that must
 * be seen is the other side's swap, and the swap that succeeds has read it.
 */
final class CasOneLine extends LockFree {
  CasOneLine() {
    super(
        "cas-one-line",
        "Both threads compare-and-swap one word from their turn to the next, trying without a load"
            + " before.",
        "Burns both CPUs and keeps the line moving; the fastest where two threads own two cores.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new Swapped(count, wait);
  }

  private static final class Swapped implements Cells {
    /**
     * A failed compare-and-set does not say what was there. It is rare that so many fail in a turn
     * between two cores, so that this look, for a stop, is hardly ever part of what is timed.
     */
    private static final int TRIES_BEFORE_LOOK = 64;

    private final Lines lines;
    private final Wait wait;

    Swapped(int count, Wait wait) {
      this.lines = new Lines(count);
      this.wait = wait;
    }

    @Override
    public long pingTurn(int cell, long expected) {
      return turn(cell, expected);
    }

    @Override
    public long pongTurn(int cell, long expected) {
      return turn(cell, expected);
    }

    private long turn(int cell, long expected) {
      Wait between = wait; // a local: a field would be read again after every try
      long word = lines.first(cell);
      long state = between.start();
      long seen;
      do {
        for (int attempt = 0; attempt < TRIES_BEFORE_LOOK; attempt++) {
          if (Words.compareAndSet(word, expected, expected + 1)) {
            return expected;
          }
          state = between.again(state);
        }
        seen = Words.getAcquire(word);
      } while (seen <= expected);
      return seen;
    }

    @Override
    public void stop(int cell) {
      Words.setVolatile(lines.first(cell), POISON);
    }

    @Override
    public long peek(int cell) {
      return Words.getAcquire(lines.first(cell));
    }
  }
}
