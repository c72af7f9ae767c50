package threadping.probe.experiments.paced;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;

/**
 * When messages are due: drawn from the seed, the same in every language. Nothing that happens to a
 * message moves those that follow.
 */
final class Schedule {
  private static final double SECOND_NS = 1e9;

  /** Gaps are drawn from here, uniformly in their logarithm, ... */
  private static final double SHORTEST_GAP_NS = 1e4;

  /** ... to so many times as much: 100 ms. */
  private static final double GAPS_SPAN = 1e4;

  static final String GAPS = "gaps";

  static final Param ARRIVALS =
      Param.text("arrivals", List.of("constant", "poisson", "bursts", GAPS));

  /** Messages a second; without effect on gaps. */
  static final Param RATE = Param.number("rate", 10_000, 10, 20_000_000);

  /** How many are due at once; the mean rate stays. */
  static final Param BURST =
      Param.number("burst", 10, 1, 10_000).onlyWith(ARRIVALS.name(), "bursts");

  private static final double RUN_NS = 100e3;
  private static final double TIMED_NS = 4e3;

  /**
   * The engine fits tasks to the pace that it sees. After a stall that is the pace of the messages
   * that had queued, far above the schedule's: a run is of so many at most, so that orders are
   * taken up, and of so many one is timed at least.
   */
  record Bounds(int run, int every) {
    static Bounds of(Params params) {
      double meanNs =
          params.text(ARRIVALS.name()).equals(GAPS)
              ? SHORTEST_GAP_NS * (GAPS_SPAN - 1) / Math.log(GAPS_SPAN)
              : SECOND_NS / params.number(RATE.name());
      int timed = dueIn(TIMED_NS, meanNs);
      return new Bounds(dueIn(RUN_NS, meanNs), Integer.highestOneBit(2 * timed - 1));
    }

    private static int dueIn(double ns, double meanNs) {
      return (int) Math.max(ns / meanNs, 1);
    }
  }

  private final long startNs;
  private final DoubleSupplier gapsNs;

  /** Since the start. */
  private double dueNs;

  /** The first message is due a gap after the start. */
  Schedule(Params params, long seed, long startNs) {
    this.startNs = startNs;
    double meanNs = SECOND_NS / params.number(RATE.name());
    SplittableRandom random = new SplittableRandom(seed);
    this.gapsNs =
        switch (params.text(ARRIVALS.name())) {
          case "poisson" -> () -> -Math.log(1 - random.nextDouble()) * meanNs;
          case "bursts" -> bursts(params.number(BURST.name()), meanNs);
          case GAPS -> () -> SHORTEST_GAP_NS * Math.exp(random.nextDouble() * Math.log(GAPS_SPAN));
          default -> () -> meanNs;
        };
  }

  /** One of a constant rate. */
  Schedule(double gapNs, long startNs) {
    this.startNs = startNs;
    this.gapsNs = () -> gapNs;
  }

  private static DoubleSupplier bursts(long size, double meanNs) {
    return new DoubleSupplier() {
      private long left;

      @Override
      public double getAsDouble() {
        left = left == 0 ? size - 1 : left - 1;
        return left == size - 1 ? size * meanNs : 0;
      }
    };
  }

  /** When the next message is due, by the clock. */
  long next() {
    dueNs += gapsNs.getAsDouble();
    return startNs + (long) dueNs;
  }
}
