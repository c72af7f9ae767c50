import java.util.Locale;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * Two threads that take turns with nothing around them: no sequence check, no stop, no bound, one
 * clock pair. The published Java ping-pong ("Inter Thread Latency", 2011) is "seqcst-one-line
 * listed"; the published locked one ("Locks &amp; Condition Variables - Latency Impact", 2011) is
 * condition.
 *
 * <p>{@code PingPong MECHANISM PING_CPU PONG_CPU ITERATIONS LINES} prints the mean one-way latency,
 * total / (2 x iterations), of blocks of a thousand round trips on one line after the other, each
 * on a page of its own, after as many of a warm-up as the published ten rounds of 100,000 have.
 * With {@code " rest=STEPS"} behind the name of a mechanism with counters, each side takes STEPS
 * dependent steps before its first poll.
 */
final class PingPong {
  private static final long WARM_UP_ITERATIONS = 1_000_000;
  private static final long LONGEST_BLOCK = 1000;

  private static final String RESTED = " rest=";

  /** Steps that each side takes before it first looks; set before anything is loaded that asks. */
  private static int rest;

  /**
   * A constant for the JIT: without a rest it compiles nothing here. The address that a side polls
   * depends on the result of its steps, or the CPU would poll meanwhile.
   */
  private static final class Rest {
    private static final int STEPS = rest;
    private static long nothing;

    static long after(long word, long from) {
      if (STEPS == 0) {
        return word;
      }
      return word + (Steps.take(from, STEPS) & nothing);
    }
  }

  /**
   * Both sides of one cell after the other. A process loads one subclass only, so the JIT inlines
   * its wait strategy and its signal into the loops.
   */
  abstract static class Turns {
    /** From round trip {@code from} of this cell to the one before {@code limit}. */
    abstract void ping(int cell, long from, long limit) throws InterruptedException;

    abstract void pong(int cell, long from, long limit) throws InterruptedException;
  }

  /** Counters on cache lines. */
  abstract static class OnLines extends Turns {
    private final long first;

    OnLines(int lines) {
      first = Memory.pages((long) lines * Memory.PAGE);
    }

    final long word(int cell) {
      int places = Memory.PAGE / Memory.LINE_PAIR - 2;
      return first + (long) cell * Memory.PAGE + cell % places * Memory.LINE_PAIR;
    }
  }

  /** One word, which each side swaps from its turn to the next, without a look before the try. */
  static final class Swaps extends OnLines {
    Swaps(int lines) {
      super(lines);
    }

    private void take(int cell, long first, long limit) {
      long word = word(cell);
      for (long expected = first; expected < limit; expected += 2) {
        while (!Memory.WORDS.compareAndSwapLong(null, word, expected, expected + 1)) {}
      }
    }

    @Override
    void ping(int cell, long from, long limit) {
      take(cell, 2 * from, 2 * limit);
      while (Memory.WORDS.getLongVolatile(null, word(cell)) != 2 * limit) {}
    }

    @Override
    void pong(int cell, long from, long limit) {
      take(cell, 2 * from + 1, 2 * limit);
    }
  }

  /** Two counters, each with one writer: the first is ping's. */
  abstract static class Counters extends OnLines {
    private final int distance;

    Counters(int lines, int distance) {
      super(lines);
      this.distance = distance;
    }

    /** Makes a side's counter one more, and returns what it wrote. */
    abstract long advance(long own, long before);

    /** What ping compares with its limit: what it knows, or as listed its counter, read again. */
    abstract long compared(long own, long value);

    @Override
    final void ping(int cell, long from, long limit) {
      long own = word(cell);
      long theirs = own + distance;
      long value = Memory.WORDS.getLongVolatile(null, own);
      while (compared(own, value) < limit) {
        long at = Rest.after(theirs, value);
        while (Memory.WORDS.getLongVolatile(null, at) != value) {}
        value = advance(own, value);
      }
      while (Memory.WORDS.getLongVolatile(null, theirs)
          != value) {} // belongs to the last iteration
    }

    @Override
    final void pong(int cell, long from, long limit) {
      long theirs = word(cell);
      long own = theirs + distance;
      long value = Memory.WORDS.getLongVolatile(null, own);
      while (value < limit) {
        long at = Rest.after(theirs, value);
        while (Memory.WORDS.getLongVolatile(null, at) == value) {}
        value = advance(own, value);
      }
    }
  }

  /** {@code ++} on a volatile, as published: a load, a store and a full fence. */
  private static long increment(long own) {
    long value = Memory.WORDS.getLongVolatile(null, own) + 1;
    Memory.WORDS.putLongVolatile(null, own, value);
    return value;
  }

  static final class VolatileIncrement extends Counters {
    VolatileIncrement(int lines, int distance) {
      super(lines, distance);
    }

    @Override
    long advance(long own, long before) {
      return increment(own);
    }

    @Override
    long compared(long own, long value) {
      return value;
    }
  }

  /** As published: the counter is read for the limit too, while pong is taking its line away. */
  static final class Listed extends Counters {
    Listed(int lines) {
      super(lines, Memory.WORD);
    }

    @Override
    long advance(long own, long before) {
      return increment(own);
    }

    @Override
    long compared(long own, long value) {
      return Memory.WORDS.getLongVolatile(null, own);
    }
  }

  /** What the published C++ does, its counter read for the limit too. */
  static final class GetAndAdd extends Counters {
    GetAndAdd(int lines) {
      super(lines, Memory.WORD);
    }

    @Override
    long advance(long own, long before) {
      return Memory.WORDS.getAndAddLong(null, own, 1L) + 1;
    }

    @Override
    long compared(long own, long value) {
      return Memory.WORDS.getLongVolatile(null, own);
    }
  }

  /** The same, without asking what came of it, and without reading the own counter again. */
  static final class AddUnasked extends Counters {
    AddUnasked(int lines) {
      super(lines, Memory.WORD);
    }

    @Override
    long advance(long own, long before) {
      long ignored = Memory.WORDS.getAndAddLong(null, own, 1L);
      return before + 1;
    }

    @Override
    long compared(long own, long value) {
      return value;
    }
  }

  /**
   * The readers' variant: an ordered store, then lazySet, today setRelease, of what the side knows
   * that its counter will be: nothing is read of its own.
   */
  static final class OrderedStore extends Counters {
    OrderedStore(int lines, int distance) {
      super(lines, distance);
    }

    @Override
    long advance(long own, long before) {
      Memory.WORDS.putOrderedLong(null, own, before + 1);
      return before + 1;
    }

    @Override
    long compared(long own, long value) {
      return value;
    }
  }

  /** A lock with two conditions. */
  static final class Signalled extends Turns {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition toPong = lock.newCondition();
    private final Condition toPing = lock.newCondition();
    private long s1;
    private long s2;

    @Override
    void ping(int cell, long from, long limit) throws InterruptedException {
      for (long done = from + 1; done <= limit; done++) {
        lock.lock();
        try {
          s1 = done;
          toPong.signal();
        } finally {
          lock.unlock();
        }
        lock.lock();
        try {
          while (s2 < done) {
            toPing.await();
          }
        } finally {
          lock.unlock();
        }
      }
    }

    @Override
    void pong(int cell, long from, long limit) throws InterruptedException {
      for (long done = from + 1; done <= limit; done++) {
        lock.lock();
        try {
          while (s1 < done) {
            toPong.await();
          }
        } finally {
          lock.unlock();
        }
        lock.lock();
        try {
          s2 = done;
          toPing.signal();
        } finally {
          lock.unlock();
        }
      }
    }
  }

  /** One object's monitor. */
  static final class Monitor extends Turns {
    private long s1;
    private long s2;

    @Override
    void ping(int cell, long from, long limit) throws InterruptedException {
      for (long done = from + 1; done <= limit; done++) {
        synchronized (this) {
          s1 = done;
          notify();
        }
        synchronized (this) {
          while (s2 < done) {
            wait();
          }
        }
      }
    }

    @Override
    void pong(int cell, long from, long limit) throws InterruptedException {
      for (long done = from + 1; done <= limit; done++) {
        synchronized (this) {
          while (s1 < done) {
            wait();
          }
        }
        synchronized (this) {
          s2 = done;
          notify();
        }
      }
    }
  }

  /** Suppliers, because the verifier of a method that made them all would load them all. */
  private static Supplier<Turns> turnsOf(String mechanism, int lines) {
    switch (mechanism) {
      case "cas-one-line":
        return () -> new Swaps(lines);
      case "xadd-one-line":
        return () -> new GetAndAdd(lines);
      case "add-one-line":
        return () -> new AddUnasked(lines);
      case "seqcst-one-line":
        return () -> new VolatileIncrement(lines, Memory.WORD);
      case "seqcst-one-line listed":
        return () -> new Listed(lines);
      case "seqcst-two-lines":
        return () -> new VolatileIncrement(lines, Memory.LINE_PAIR);
      case "release-one-line":
        return () -> new OrderedStore(lines, Memory.WORD);
      case "release-two-lines":
        return () -> new OrderedStore(lines, Memory.LINE_PAIR);
      case "condition":
        return Signalled::new;
      case "monitor":
        return Monitor::new;
      default:
        throw new IllegalArgumentException("No mechanism " + mechanism + " here.");
    }
  }

  /** One side's part of a block. */
  private interface Side {
    void take(int cell, long from, long limit) throws InterruptedException;
  }

  private static void visit(long first, long last, int lines, long block, Side side)
      throws InterruptedException {
    for (long visit = first; visit < last; visit++) {
      long from = visit / lines * block;
      side.take((int) (visit % lines), from, from + block);
    }
  }

  public static void main(String[] words) throws InterruptedException {
    String pongCpu = words[2];
    long iterations = Long.parseLong(words[3]);
    int lines = Integer.parseInt(words[4]);
    String[] asked = words[0].split(RESTED);
    rest = asked.length > 1 ? Integer.parseInt(asked[1]) : 0;
    Turns turns = turnsOf(asked[0], lines).get();
    long block = Math.min(LONGEST_BLOCK, iterations);
    long blocks = iterations / block;
    long warmUp = Math.max(lines, Math.min(WARM_UP_ITERATIONS, iterations) / block);

    Thread echo =
        new Thread(
            () -> {
              Program.pinThisThread(pongCpu);
              try {
                visit(0, warmUp, lines, block, turns::pong);
                visit(warmUp, warmUp + blocks, lines, block, turns::pong);
              } catch (InterruptedException impossible) {
                throw new IllegalStateException(impossible);
              }
            });
    echo.start();
    Program.pinThisThread(words[1]);
    visit(0, warmUp, lines, block, turns::ping);
    long start = System.nanoTime();
    visit(warmUp, warmUp + blocks, lines, block, turns::ping);
    long took = System.nanoTime() - start;
    echo.join();
    System.out.printf(Locale.ROOT, "one-way ns: %.3f%n", took / (2.0 * blocks * block));
  }
}
