package threadping.probe.engine;

import java.util.Arrays;
import java.util.stream.LongStream;
import threadping.probe.contract.Result;

/** What a result adds up to, of the measuring phase. */
final class Sums {
  private Sums() {}

  static long samples(Result result) {
    return result.distributions.values().stream()
        .filter(each -> each.unit().equals("ns"))
        .mapToLong(Sums::samples)
        .sum();
  }

  static long samples(Result.Distribution distribution) {
    return LongStream.of(distribution.counts()).sum();
  }

  static long censored(Result result) {
    return result.distributions.values().stream().mapToLong(each -> each.censored()).sum();
  }

  /** A thread's operations in the windows. */
  static long[] ops(Result result, int thread) {
    return Arrays.copyOfRange(
        result.windows.ops[thread], result.windows.warmUp, result.windows.count);
  }

  static long ns(Result result) {
    return LongStream.of(result.windows.ns)
        .limit(result.windows.count)
        .skip(result.windows.warmUp)
        .sum();
  }
}
