package threadping.probe.crew;

import java.util.stream.LongStream;
import threadping.probe.message.Result;

/** What a result adds up to. */
final class Sums {
  private Sums() {}

  static long samples(Result result) {
    return result.distributions.values().stream().mapToLong(Sums::samples).sum();
  }

  static long samples(Result.Distribution distribution) {
    return LongStream.of(distribution.counts).sum();
  }

  static long censored(Result result) {
    return result.distributions.values().stream().mapToLong(each -> each.censored).sum();
  }

  /** A thread's operations in the windows. */
  static long[] ops(Result result, int thread) {
    return LongStream.of(result.windows.ops[thread]).limit(result.windows.count).toArray();
  }

  static long ns(Result result) {
    return LongStream.of(result.windows.ns).limit(result.windows.count).sum();
  }
}
