package threadping.probe.experiments.load;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.Stream;
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
  private static final double MEAN_GAP_NS = (LONGEST_GAP_NS - SHORTEST_GAP_NS) / SPREAD;

  /** How long a gap may be that is not drawn, in ns: also where the parts of the gap axis begin. */
  static final Map<String, Long> LENGTHS = new LinkedHashMap<>();

  static {
    String[] names = {
      "10us", "30us", "100us", "300us", "1ms", "3ms", "10ms", "30ms", "100ms", "300ms", "1s"
    };
    long decade = 10_000;
    for (int each = 0; each < names.length; each++) {
      LENGTHS.put(names[each], each % 2 == 0 ? decade : 3 * decade);
      decade *= each % 2 == 0 ? 1 : 10;
    }
  }

  static final String GAPS = "idle";

  static final Param ARRIVALS =
      Param.text("arrivals", List.of("constant", "poisson", "bursts", GAPS));

  /** Messages a second; without effect on gaps. */
  static final Param RATE = Param.number("rate", 10_000, 10, 20_000_000);

  /** How many are due at once; the mean rate stays. */
  static final Param BURST =
      Param.number("burst", 10, 1, 10_000).onlyWith(ARRIVALS.name(), "bursts");

  private static final String DRAWN = "drawn";

  /** How long they are, all alike unless they are drawn. */
  static final Param LENGTH =
      Param.text("idle", Stream.concat(Stream.of(DRAWN), LENGTHS.keySet().stream()).toList())
          .onlyWith(ARRIVALS.name(), GAPS);

  private final double meanNs;
  private final DoubleSupplier gapNs;
  private double dueNs;
  private long number;

  Schedule(Params params, long seed) {
    String arrivals = params.text(ARRIVALS.name());
    boolean isByGap = arrivals.equals(GAPS);
    Long length = isByGap ? LENGTHS.get(params.text(LENGTH.name())) : null;
    double mean = length != null ? length : 1e9 / params.number(RATE.name());
    long burst = params.number(BURST.name());
    SplittableRandom random = new SplittableRandom(seed);
    meanNs = isByGap && length == null ? MEAN_GAP_NS : mean;
    gapNs =
        switch (length != null ? "constant" : arrivals) {
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

  /** How many messages are due on average in {@code ns} nanoseconds; at least 1. */
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
