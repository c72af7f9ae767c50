package threadping.probe.mechanisms.signals;

import threadping.Signal;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * One word in one line. Each side tries to compare-and-swap it from its turn to the next, with no
 * load before the try: the protocol of core-to-core-latency's first benchmark, with a sequence
 * number in place of its flag. The swap that ends the wait also publishes.
 *
 * <p>The line moves in exclusive state on every try, also on those that fail; the write that must
 * be seen is the other side's swap, and the swap that succeeds has read it.
 */
final class CasOneLine implements Pairs {
  /**
   * A failed compare-and-set does not say what was there. It is rare that this number of attempts
   * fail in a turn between two cores, so that this poll, for a stop, is hardly ever part of what is
   * timed.
   */
  private static final int TRIES_BEFORE_POLL = 64;

  private final Lines lines;
  private final Wait wait;

  CasOneLine(int count, Wait wait) {
    this.lines = new Lines(count);
    this.wait = wait;
  }

  /** One place for both sides. */
  @Override
  public long place(int side, int line) {
    return lines.first(line);
  }

  @Override
  public long await(long word, long expected) {
    Wait between = wait; // a local: a field would be read again after every try
    long state = between.start();
    long seen;
    do {
      for (int attempt = 0; attempt < TRIES_BEFORE_POLL; attempt++) {
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
  public void publish(long word, long expected) {}

  @Override
  public void stop(int line) {
    Words.setVolatile(lines.first(line), Signal.STOPPED);
  }

  @Override
  public long handoffs(int line) {
    return Words.getAcquire(lines.first(line));
  }

  @Override
  public long memory() {
    return lines.start();
  }

  /**
   * The same one way: the publisher swaps the number that was for its own, and the awaiter polls by
   * a swap that changes nothing, so that every poll takes the line. The one that fails for the
   * publisher's has read it.
   */
  static final class CasSignal extends SignalInWord {
    private final Wait wait;

    CasSignal(Wait wait) {
      super(new Lines(1).first(0));
      this.wait = wait;
    }

    @Override
    public void publish(long n) {
      Words.compareAndSet(word, n - 1, n);
    }

    @Override
    public long await(long n) {
      Wait between = wait; // locals: fields would be read again after every poll
      long place = word;
      long state = between.start();
      long seen;
      do {
        while (Words.compareAndSet(place, n - 1, n - 1)) {
          state = between.again(state);
        }
      } while ((seen = Words.getAcquire(place)) < n); // more than one before it
      return seen;
    }

    @Override
    public void stop() {
      Words.setVolatile(word, STOPPED);
    }
  }
}
