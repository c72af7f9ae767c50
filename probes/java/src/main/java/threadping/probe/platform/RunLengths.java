package threadping.probe.platform;

import java.util.Arrays;

/** Distinct values, ascending, and how often each occurred. */
public final class RunLengths {
  public final long[] values;
  public final long[] counts;

  private RunLengths(long[] values, long[] counts) {
    this.values = values;
    this.counts = counts;
  }

  /** Of the first {@code used} samples, which are sorted in place. */
  public static RunLengths of(long[] samples, int used) {
    Arrays.sort(samples, 0, used);
    long[] values = new long[used];
    long[] counts = new long[used];
    int distinct = 0;
    for (int sample = 0; sample < used; sample++) {
      if (distinct == 0 || values[distinct - 1] != samples[sample]) {
        values[distinct++] = samples[sample];
      }
      counts[distinct - 1]++;
    }
    return new RunLengths(Arrays.copyOf(values, distinct), Arrays.copyOf(counts, distinct));
  }
}
