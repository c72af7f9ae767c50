package threadping.probe.platform;

import static java.util.concurrent.CompletableFuture.runAsync;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.LongSupplier;
import threadping.probe.Failure;

/**
 * How far one CPU's clock is ahead of another's, at least and at most: bounds from readings that
 * two threads exchange ("Probabilistic Clock Synchronization", Cristian, 1989).
 *
 * <pre>
 *   asking:    t1 --- asked --.             .--> t3
 *   answering:                 '--> t2 --- '
 * </pre>
 *
 * <p>The answer was read after t1 and before t3, so its clock is ahead by t2 - t3 at least and by
 * t2 - t1 at most. The tightest of both over all exchanges count: a slower one only says less.
 */
public final class Skew {
  /** A pair's share; most of it passes until the loops are compiled. */
  private static final long EXCHANGING_NS = 10_000_000;

  /** So long the one that comes first waits for the other, which may have to load what it needs. */
  private static final long MEETING_NS = 100_000_000;

  /** So many looks in vain between two at the time. */
  private static final int LOOKS = 256;

  public final long leastNs;
  public final long mostNs;

  Skew(long leastNs, long mostNs) {
    this.leastNs = leastNs;
    this.mostNs = mostNs;
  }

  /** Of these pairs of CPUs the one with the largest; null where nothing could be compared. */
  public static Skew ofAll(List<List<Integer>> pairs) {
    Skew farthest = null;
    for (List<Integer> pair : pairs) {
      farthest =
          farther(farthest, between(pair.get(0), pair.get(1), System::nanoTime, System::nanoTime));
    }
    return farthest;
  }

  /** The one whose middle is farther from 0; null is none. */
  public static Skew farther(Skew one, Skew other) {
    if (one == null || other == null) {
      return one == null ? other : one;
    }
    boolean isFarther = Math.abs(other.leastNs + other.mostNs) > Math.abs(one.leastNs + one.mostNs);
    return isFarther ? other : one;
  }

  /**
   * How far the answering CPU's clock is ahead of the asking one's; null if they did not meet in
   * time. Throws Failure(PIN_FAILED).
   */
  static Skew between(int asking, int answering, LongSupplier asked, LongSupplier answered) {
    Exchange exchange = new Fillers().apart(Exchange::new);
    CompletableFuture<Void> asks = on(asking, () -> exchange.ask(asked), exchange);
    CompletableFuture<Void> answers = on(answering, () -> exchange.answer(answered), exchange);
    try {
      CompletableFuture.allOf(asks, answers).join();
    } catch (CompletionException error) {
      throw error.getCause() instanceof Failure ? (Failure) error.getCause() : error;
    }
    return exchange.skew();
  }

  /** On this CPU; what keeps one from coming keeps the other from waiting for it. */
  private static CompletableFuture<Void> on(int cpu, Runnable part, Exchange exchange) {
    Runnable pinned =
        () -> {
          try {
            Pinning.pinThisThread(List.of(cpu));
            part.run();
          } finally {
            exchange.asked = Exchange.OVER;
          }
        };
    return runAsync(pinned, run -> Threads.make(false, "clock", run).start());
  }

  /** What the two say to each other. */
  private static final class Exchange {
    static final long OVER = Long.MAX_VALUE;

    /** The number of the question; {@link #OVER} after the last. */
    volatile long asked;

    /** The number of the question that is answered: by the reading, which is written before. */
    volatile long answered;

    long answerNs;

    long leastNs = Long.MIN_VALUE;
    long mostNs = Long.MAX_VALUE;

    /** Null without an answer. In order even where a clock was set meanwhile. */
    Skew skew() {
      return mostNs == Long.MAX_VALUE
          ? null
          : new Skew(Math.min(leastNs, mostNs), Math.max(leastNs, mostNs));
    }

    void ask(LongSupplier clock) {
      if (!ask(1, clock, clock.getAsLong() + MEETING_NS)) {
        return;
      }
      long end = clock.getAsLong() + EXCHANGING_NS;
      for (long question = 2; ask(question, clock, end); question++) {
        // All is in the question: a method that is called so often is compiled as one.
      }
    }

    /** False once the time is over. */
    private boolean ask(long question, LongSupplier clock, long end) {
      long before = clock.getAsLong();
      asked = question;
      for (int looks = 1; answered != question; looks++) {
        Thread.onSpinWait();
        if (looks % LOOKS == 0 && clock.getAsLong() > end) {
          return false;
        }
      }
      long after = clock.getAsLong();
      leastNs = Math.max(leastNs, answerNs - after);
      mostNs = Math.min(mostNs, answerNs - before);
      return after < end;
    }

    void answer(LongSupplier clock) {
      for (long question = 1; answer(question, clock); question++) {
        // as above
      }
    }

    private boolean answer(long question, LongSupplier clock) {
      long seen;
      while ((seen = asked) < question) {
        Thread.onSpinWait();
      }
      if (seen == OVER) {
        return false;
      }
      answerNs = clock.getAsLong();
      answered = question;
      return true;
    }
  }
}
