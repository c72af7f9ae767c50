package threadping.probe.engine;

import java.util.Arrays;
import threadping.probe.contract.Result;

/**
 * The durations of one thread, of however long a trial, in a histogram of fixed size:
 * HdrHistogram's layout (https://github.com/HdrHistogram/HdrHistogram, "HdrHistogram internal
 * layout") with 4,096 sub-buckets. Below 4,096 ns a value has a counter of its own; above, every
 * octave has 2,048, so that a value is at most 0.05% too small. What is exact takes its memory when
 * it is made, an octave when it is first needed: beside durations of more than four microseconds
 * that is little.
 */
public final class Histogram {
  private static final int EXACT_BITS = 12;
  private static final int EXACT_BELOW = 1 << EXACT_BITS;
  private static final int PER_OCTAVE = EXACT_BELOW / 2;

  /** An hour. What lasted longer is counted as censored. */
  static final long LONGEST_NS = 3_600_000_000_000L;

  private final long[] exact = new long[EXACT_BELOW];
  private final long[][] octaves = new long[octave(LONGEST_NS) + 1][];
  private long censored;
  private long negative;
  private long samples;

  /** What came out below 0, between two CPUs whose clocks differ, is counted and in no value. */
  public void record(long ns) {
    if (ns < 0) {
      negative++;
    } else if (ns < EXACT_BELOW) {
      exact[(int) ns]++;
      samples++;
    } else if (ns <= LONGEST_NS) {
      int octave = octave(ns);
      counters(octave)[(int) (ns >>> octave + 1) - PER_OCTAVE]++;
      samples++;
    } else {
      censored++;
    }
  }

  /** How many durations there are. */
  long samples() {
    return samples;
  }

  /** The smaller half of the durations is at most so long, as far as they are told apart. */
  long median() {
    long below = 0;
    for (int octave = -1; octave < octaves.length; octave++) {
      long[] counters = octave < 0 ? exact : octaves[octave];
      for (int each = 0; counters != null && each < counters.length; each++) {
        below += counters[each];
        if (2 * below >= samples) {
          return value(octave, each);
        }
      }
    }
    return 0;
  }

  /** The least that is counted in this place; octave -1 is what is exact. */
  private static long value(int octave, int place) {
    return octave < 0 ? place : (long) (PER_OCTAVE + place) << octave + 1;
  }

  /** A duration that overlapped a window, but did not begin and end inside it. */
  void censor() {
    censored++;
  }

  /** Forgets all: the warm-up's. */
  public void clear() {
    Arrays.fill(exact, 0);
    Arrays.fill(octaves, null);
    censored = 0;
    negative = 0;
    samples = 0;
  }

  /** Adds what the other has recorded. */
  public void add(Histogram other) {
    add(exact, other.exact);
    for (int octave = 0; octave < octaves.length; octave++) {
      if (other.octaves[octave] != null) {
        add(counters(octave), other.octaves[octave]);
      }
    }
    censored += other.censored;
    negative += other.negative;
    samples += other.samples;
  }

  private static void add(long[] counters, long[] others) {
    Arrays.setAll(counters, each -> counters[each] + others[each]);
  }

  /** Each value, the least that is counted in one place, and how often it occurred. */
  public Result.Distribution distribution(String unit) {
    long[] values = new long[EXACT_BELOW + octaves.length * PER_OCTAVE];
    long[] counts = new long[values.length];
    int used = 0;
    for (int octave = -1; octave < octaves.length; octave++) {
      long[] counters = octave < 0 ? exact : octaves[octave];
      for (int each = 0; counters != null && each < counters.length; each++) {
        values[used] = value(octave, each);
        counts[used] = counters[each];
        used += counters[each] > 0 ? 1 : 0;
      }
    }
    return new Result.Distribution(
        unit, Arrays.copyOf(values, used), Arrays.copyOf(counts, used), censored, negative);
  }

  /** How often a value of at least 4,096 can be halved before it is below 8,192. */
  private static int octave(long ns) {
    return Long.SIZE - 1 - EXACT_BITS - Long.numberOfLeadingZeros(ns);
  }

  private long[] counters(int octave) {
    if (octaves[octave] == null) {
      octaves[octave] = new long[PER_OCTAVE];
    }
    return octaves[octave];
  }
}
