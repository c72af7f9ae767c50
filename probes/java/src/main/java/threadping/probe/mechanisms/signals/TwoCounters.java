package threadping.probe.mechanisms.signals;

import threadping.Signal;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * The lock-free protocols with one counter for each side: where these are, and how a side polls the
 * other's and publishes by its own. Ping's turns are even, pong's odd: before turn {@code expected}
 * a side has taken expected / 2 turns, and the other side as many, or one more if it is pong's
 * turn.
 *
 * <p>The check of the sequence is the comparison that ends the wait; nothing else is added to the
 * protocol, above all no look at the own counter: after a locked add that costs more than the add
 * (docs/internals/loops.md). A counter that somebody else wrote too is noticed by the other side.
 */
abstract class TwoCounters implements Pairs {
  /** From ping's counter to pong's: next to each other in one line, as published, or apart. */
  static final int ONE_LINE = Long.BYTES;

  static final int TWO_LINES = Lines.LINE_PAIR;

  /** Twice it is no {@link Signal#STOPPED} yet. */
  private static final long BEYOND_COUNTS = Signal.STOPPED / 4;

  private final Lines lines;
  private final int distance;
  private final Wait wait;

  TwoCounters(int count, int distance, Wait wait) {
    this.lines = new Lines(count);
    this.distance = distance;
    this.wait = wait;
  }

  /** Reads the other side's counter. */
  abstract long poll(long theirs);

  /** Makes the own counter one more than {@code before}. */
  abstract void count(long own, long before);

  @Override
  public final long place(int side, int line) {
    return lines.first(line) + (long) side * distance;
  }

  @Override
  public long await(long theirs, long expected) {
    Wait between = wait; // a local: a field would be read again after every poll
    long wanted = (expected + 1) >>> 1;
    long state = between.start();
    long seen;
    while ((seen = poll(theirs)) < wanted) {
      state = between.again(state);
    }
    return seen == wanted ? expected : handoffs(seen, expected);
  }

  static long handoffs(long seen, long expected) {
    return seen >= Signal.STOPPED ? seen : 2 * seen - (expected & 1);
  }

  @Override
  public final void publish(long own, long expected) {
    count(own, expected >>> 1);
  }

  /** A side that is just storing overwrites the poison; the watchdog therefore repeats it. */
  @Override
  public final void stop(int line) {
    Words.setVolatile(place(PING, line), Signal.STOPPED);
    Words.setVolatile(place(PONG, line), Signal.STOPPED);
  }

  @Override
  public final long handoffs(int line) {
    long ping = Words.getAcquire(place(PING, line));
    long pong = Words.getAcquire(place(PONG, line));
    return ping >= Signal.STOPPED || pong >= Signal.STOPPED ? Signal.STOPPED : ping + pong;
  }

  @Override
  public final long memory() {
    return lines.start();
  }

  /**
   * Published by a locked addition whose result nobody asks for, since it is known before; polled
   * by loads.
   *
   * <p>The write that must be seen is the other side's add. Where the counters share a line, every
   * load of a waiting side takes the line from the side that is about to write.
   */
  static Pairs added(int count, int distance, Wait wait) {
    return new TwoCounters(count, distance, wait) {
      @Override
      long poll(long theirs) {
        return Words.getVolatile(theirs);
      }

      @Override
      void count(long own, long before) {
        Words.getAndAdd(own, 1);
      }
    };
  }

  /**
   * The published C++ ping-pong ("Inter Thread Latency", 2011), as listed there: the locked
   * addition ({@code lock xadd} on x86) with its result used, and one look of ping's at its own
   * counter before each wait, which the listing compares with its limit: the other side is taking
   * the line away by then.
   *
   * <p>Result and look are compared with what the side must have published. Where somebody else has
   * added, the counter leaps beyond every count, and both sides see a broken sequence.
   */
  static Pairs listed(int count, Wait wait) {
    return new TwoCounters(count, ONE_LINE, wait) {
      @Override
      public long await(long theirs, long expected) {
        if ((expected & 1) == PING) {
          long own = Words.getVolatile(theirs - ONE_LINE);
          if (own != expected >>> 1) {
            return handoffs(own, PING);
          }
        }
        return super.await(theirs, expected);
      }

      @Override
      long poll(long theirs) {
        return Words.getVolatile(theirs);
      }

      @Override
      void count(long own, long before) {
        if (Words.getAndAdd(own, 1) != before) {
          Words.getAndAdd(own, BEYOND_COUNTS);
        }
      }
    };
  }

  /**
   * The published Java ping-pong ("Inter Thread Latency", 2011): volatile polls, and {@code ++} to
   * publish: a load, a store and a full fence, not an atomic add. On two lines it is what a padded
   * volatile costs.
   *
   * <p>The write that must be seen is the other side's store. The fence keeps this side from its
   * next poll until the store has left the store buffer; it makes the store visible no sooner.
   */
  static Pairs seqcst(int count, int distance, Wait wait) {
    return new TwoCounters(count, distance, wait) {
      @Override
      long poll(long theirs) {
        return Words.getVolatile(theirs);
      }

      @Override
      void count(long own, long before) {
        Words.setVolatile(own, Words.getVolatile(own) + 1);
      }
    };
  }

  /**
   * The published ping-pong with its readers' cheaper store (once {@code lazySet}): published by a
   * store with release order and polled with acquire order. On two lines each handoff moves one
   * line from its writer to its reader, and the reader's own line is asked back by the other side
   * at the same time.
   *
   * <p>The write that must be seen is the other side's store-release; nothing here needs a fence or
   * a locked instruction on x86.
   */
  static Pairs released(int count, int distance, Wait wait) {
    return new TwoCounters(count, distance, wait) {
      @Override
      long poll(long theirs) {
        return Words.getAcquire(theirs);
      }

      @Override
      void count(long own, long before) {
        Words.setRelease(own, before + 1);
      }
    };
  }

  /**
   * The published variant without a barrier: no order but the counters' own (opaque).
   *
   * <p>The write that must be seen is the other side's store, but nothing that was written before
   * it need be: only the counter itself is handed over. It shows what ordering costs, and must not
   * be used to hand over anything else. A plain variable would not do even here, since a compiler
   * may take its load out of the loop.
   */
  static Pairs relaxed(int count, int distance, Wait wait) {
    return new TwoCounters(count, distance, wait) {
      @Override
      long poll(long theirs) {
        return Words.getOpaque(theirs);
      }

      @Override
      void count(long own, long before) {
        Words.setOpaque(own, before + 1);
      }
    };
  }

  /**
   * One direction of a pair: ping publishes in its counter, and pong, which waits there, publishes
   * nothing. Of a pair's handoffs 2n - 1 have then happened when n is published.
   */
  record CounterSignal(Pairs pairs, long counter) implements Signal {
    CounterSignal(Pairs pairs) {
      this(pairs, pairs.place(PING, 0));
    }

    @Override
    public void publish(long n) throws InterruptedException {
      pairs.publish(counter, 2 * (n - 1));
    }

    @Override
    public long await(long n) throws InterruptedException {
      long seen = pairs.await(counter, 2 * n - 1);
      return seen >= STOPPED ? seen : (seen + 1) >>> 1;
    }

    @Override
    public void stop() {
      pairs.stop(0);
    }

    @Override
    public long published() {
      return pairs.handoffs(0);
    }
  }
}
