package threadping.probe.platform;

import java.util.Arrays;

/** The steal time of each CPU, by /proc/stat kept open. */
public final class Steal {
  /** After the CPU's number (Documentation/filesystems/proc.rst, 1.7). */
  private static final int STEAL = 8;

  private final KernelFile stat = KernelFile.open("/proc/stat");
  private long[] before = unknown(64);
  private long[] now = unknown(64);

  /** Reads it anew; what was read so far is what {@link #sinceNs} counts from. */
  public void read() {
    long[] older = before;
    before = now;
    now = older;
    Arrays.fill(now, Look.UNKNOWN);
    if (stat == null || !stat.read()) {
      return;
    }
    while (stat.nextLine() && stat.skip("cpu")) { // the first line is about all of them
      keep((int) stat.number());
    }
  }

  private void keep(int cpu) {
    if (cpu >= now.length) {
      now = grown(now, cpu);
      before = grown(before, cpu);
    }
    long ticks = Look.UNKNOWN;
    for (int each = 0; each < STEAL; each++) {
      ticks = stat.number();
    }
    now[cpu] = ticks;
  }

  private static long[] unknown(int cpus) {
    long[] values = new long[cpus];
    Arrays.fill(values, Look.UNKNOWN);
    return values;
  }

  private static long[] grown(long[] values, int cpu) {
    long[] larger = unknown(2 * cpu);
    System.arraycopy(values, 0, larger, 0, values.length);
    return larger;
  }

  /** A CPU's between the last two readings, in whole ticks; {@link Look#UNKNOWN} without one. */
  public long sinceNs(int cpu) {
    if (cpu >= now.length || now[cpu] == Look.UNKNOWN || before[cpu] == Look.UNKNOWN) {
      return Look.UNKNOWN;
    }
    return Math.max(0, now[cpu] - before[cpu]) * MachineCounters.NS_PER_TICK;
  }
}
