import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Locale;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The published Java ping-pong ("Inter Thread Latency", 2011) with nothing around it: no lines to
 * choose from, no sequence check, no bound, one clock pair.
 *
 * <p>{@code PingPong MECHANISM PING_CPU PONG_CPU ITERATIONS} prints the mean one-way latency, total
 * / (2 x iterations), after the published ten warm-up rounds of 100,000. Run it with {@code
 * -XX:ObjectAlignmentInBytes=128}, so that the two counters share a line and nothing else does.
 */
final class PingPong {
  private static final int WARM_UP_ROUNDS = 10;
  private static final long WARM_UP_ITERATIONS = 100_000;

  /**
   * Two counters next to each other in one object, each with one writer: s1 is ping's, s2 is
   * pong's. A process loads one subclass only, so the JIT inlines its way of adding into the loops.
   */
  abstract static class Counters {
    volatile long s1;
    volatile long s2;

    abstract long advanceS1();

    abstract long advanceS2();

    final void ping(long limit) {
      long value = s1;
      while (s1 < limit) {
        while (s2 != value) {}
        value = advanceS1();
      }
      while (s2 != value) {} // the last answer belongs to the last iteration
    }

    final void pong(long limit) {
      long value = s2;
      while (value < limit) {
        while (s1 == value) {}
        value = advanceS2();
      }
    }
  }

  /** As published: {@code ++} on a volatile is a load, a store and a full fence. */
  static final class VolatileIncrement extends Counters {
    @Override
    long advanceS1() {
      return ++s1;
    }

    @Override
    long advanceS2() {
      return ++s2;
    }
  }

  /** What the published C++ does: a locked add. */
  static final class GetAndAdd extends Counters {
    private static final VarHandle S1 = counter("s1");
    private static final VarHandle S2 = counter("s2");

    @Override
    long advanceS1() {
      return (long) S1.getAndAdd(this, 1L) + 1;
    }

    @Override
    long advanceS2() {
      return (long) S2.getAndAdd(this, 1L) + 1;
    }
  }

  /** The readers' variant: an ordered store, then lazySet, today setRelease. */
  static final class OrderedStore extends Counters {
    private static final VarHandle S1 = counter("s1");
    private static final VarHandle S2 = counter("s2");

    @Override
    long advanceS1() {
      long value = s1 + 1;
      S1.setRelease(this, value);
      return value;
    }

    @Override
    long advanceS2() {
      long value = s2 + 1;
      S2.setRelease(this, value);
      return value;
    }
  }

  private static VarHandle counter(String name) {
    try {
      return MethodHandles.lookup().findVarHandle(Counters.class, name, long.class);
    } catch (ReflectiveOperationException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  /** Suppliers, because the verifier of a method that made all three would load all three. */
  private static Supplier<Counters> countersOf(String mechanism) {
    switch (mechanism) {
      case "seqcst-one-line":
        return VolatileIncrement::new;
      case "add-one-line":
        return GetAndAdd::new;
      case "release-one-line":
        return OrderedStore::new;
      default:
        throw new IllegalArgumentException("No mechanism " + mechanism + " here.");
    }
  }

  private static void warmUp(LongConsumer side) {
    for (int round = 1; round <= WARM_UP_ROUNDS; round++) {
      side.accept(round * WARM_UP_ITERATIONS);
    }
  }

  public static void main(String[] words) throws InterruptedException {
    Counters counters = countersOf(words[0]).get();
    String pingCpu = words[1];
    String pongCpu = words[2];
    long iterations = Long.parseLong(words[3]);
    long limit = WARM_UP_ROUNDS * WARM_UP_ITERATIONS + iterations;

    Thread echo =
        new Thread(
            () -> {
              Standing.pinThisThread(pongCpu);
              warmUp(counters::pong);
              counters.pong(limit);
            });
    echo.start();
    Standing.pinThisThread(pingCpu);
    warmUp(counters::ping);
    long start = System.nanoTime();
    counters.ping(limit);
    long took = System.nanoTime() - start;
    echo.join();
    System.out.printf(Locale.ROOT, "one-way ns: %.3f%n", took / (2.0 * iterations));
  }
}
