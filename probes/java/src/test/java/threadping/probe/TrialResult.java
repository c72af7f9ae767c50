package threadping.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** What a trial measured, as far as tests ask: contract/result.schema.json. */
public record TrialResult(
    String experiment,
    String mechanism,
    List<MeasuringThread> threads,
    Home home,
    Clock clock,
    WarmUp warmup,
    Measured measured,
    Managed managed,
    Windows windows,
    Map<String, Distribution> distributions,
    Evidence evidence,
    Map<String, Held> counts) {

  public record MeasuringThread(
      String role,
      List<Integer> cpusStart,
      List<Integer> cpusEnd,
      long cpuNs,
      long voluntarySwitches,
      Long migrations) {}

  public record Home(List<Integer> nodes) {}

  public record Clock(String name, double costNs, Skew skew) {}

  public record Skew(long leastNs, long mostNs) {}

  public record WarmUp(long ops, long ns, String ended) {}

  public record Measured(long ops, long ns, boolean cut) {}

  public record Managed(Long compileMs, long collections, List<Pause> pauses, Long restedNs) {}

  public record Pause(long atNs, long ns, String name) {}

  public record Evidence(long looks, List<String> lacking, List<Outlier> outliers) {}

  public record Outlier(String of, int thread, long atNs, long ns) {}

  public record Held(long made, long found, boolean exact) {}

  /** Entry i of each is about window i. */
  public record Windows(
      boolean[] warmup,
      int[] line,
      String[] kind,
      int[] every,
      long[] ns,
      long[][] ops,
      long[] switches,
      long[] compileMs,
      long[] cpus) {

    public int count() {
      return ns.length;
    }

    /** The number of those that are the warm-up's, the first ones. */
    public int warmUp() {
      int warm = 0;
      while (warm < count() && warmup[warm]) {
        warm++;
      }
      return warm;
    }

    /** A thread's operations in those that were measured. */
    public long[] measuredOps(int thread) {
      return LongStream.of(ops[thread]).skip(warmUp()).toArray();
    }
  }

  public record Distribution(
      String unit, long[] values, long[] counts, long censored, long negative) {
    public long samples() {
      return LongStream.of(counts).sum();
    }
  }

  public static TrialResult of(byte[] message) {
    return TrialRequest.JSON.fromJson(new String(message, UTF_8), TrialResult.class);
  }

  /** A trial that its bound cut. */
  public boolean cut() {
    return measured.cut;
  }

  /** How often something was timed. */
  public long samples() {
    return distributions.values().stream()
        .filter(each -> each.unit().equals("ns"))
        .mapToLong(Distribution::samples)
        .sum();
  }

  public long censored() {
    return distributions.values().stream().mapToLong(Distribution::censored).sum();
  }
}
