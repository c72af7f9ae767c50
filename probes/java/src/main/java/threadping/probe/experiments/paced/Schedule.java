package threadping.probe.experiments.paced;

import java.util.List;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import threadping.probe.engine.Param;
import threadping.probe.engine.Params;

/**
 * Due times, in nanoseconds from the schedule's start, as the parameters want and the seed draws
 * them; the same in every language. Nothing that happens to a message moves those that follow.
 */
final class Schedule {
  private static final double SHORTEST_GAP_NS = 10e3;
  private static final double LONGEST_GAP_NS = 100e6;
  private static final double SPREAD = Math.log(LONGEST_GAP_NS / SHORTEST_GAP_NS);

  static final String GAPS = "gaps";

  static final Param ARRIVALS =
      Param.text("arrivals", List.of("constant", "poisson", "bursts", GAPS));

  /** Messages a second; without effect on gaps. */
  static final Param RATE = Param.number("rate", 10_000, 10, 20_000_000);

  /** How many are due at once; the mean rate stays. */
  static final Param BURST =
      Param.number("burst", 10, 1, 10_000).onlyWith(ARRIVALS.name(), "bursts");

  private final double meanNs;
  private final DoubleSupplier gapNs;
  private double dueNs;
  private long number;

  Schedule(Params params, long seed) {
    String arrivals = params.text(ARRIVALS.name());
    double mean = 1e9 / params.number(RATE.name());
    long burst = params.number(BURST.name());
    SplittableRandom random = new SplittableRandom(seed);
    meanNs = arrivals.equals(GAPS) ? (LONGEST_GAP_NS - SHORTEST_GAP_NS) / SPREAD : mean;
    gapNs =
        switch (arrivals) {
          case "poisson" -> () -> -Math.log(1 - random.nextDouble()) * mean;
          case "bursts" -> () -> number % burst == 0 ? burst * mean : 0;
          case GAPS -> () -> SHORTEST_GAP_NS * Math.exp(random.nextDouble() * SPREAD);
          default -> () -> mean;
        };
  }

  /** One of a constant rate. */
  Schedule(double gap) {
    meanNs = gap;
    gapNs = () -> gap;
  }

  /** How many messages are due on average in so many nanoseconds; at least 1. */
  int dueIn(double ns) {
    return (int) Math.max(ns / meanNs, 1);
  }

  /**
   * When the next message is due. Gaps are added up unrounded, so that the rate is as asked for.
   */
  long next() {
    dueNs += gapNs.getAsDouble();
    number++;
    return (long) dueNs;
  }
}
