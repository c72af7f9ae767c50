package threadping.probe.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel has counted for one thread: so far, or between two readings. */
public final class ThreadCounters {
  private static final Path SCHED = Path.of("/proc/thread-self/sched");

  /** struct rusage (linux/resource.h) is two struct timeval and fourteen longs. */
  private static final int RUSAGE_LONGS = 18;

  private static final int MINOR_FAULTS = 8;
  private static final int MAJOR_FAULTS = 9;
  private static final int VOLUNTARY_SWITCHES = 16;
  private static final int INVOLUNTARY_SWITCHES = 17;

  public final long cpuNs;
  public final long voluntarySwitches;
  public final long involuntarySwitches;

  /** Null where the kernel does not tell. */
  public final Long migrations;

  public final long minorFaults;
  public final long majorFaults;

  private ThreadCounters(
      long cpuNs,
      long voluntarySwitches,
      long involuntarySwitches,
      Long migrations,
      long minorFaults,
      long majorFaults) {
    this.cpuNs = cpuNs;
    this.voluntarySwitches = voluntarySwitches;
    this.involuntarySwitches = involuntarySwitches;
    this.migrations = migrations;
    this.minorFaults = minorFaults;
    this.majorFaults = majorFaults;
  }

  /** Of a thread that measured nothing. */
  public static ThreadCounters none() {
    return new ThreadCounters(0, 0, 0, null, 0, 0);
  }

  /**
   * The calling thread's so far, at the start of measuring: the file, which costs most, is read
   * first, so that reading it is not counted.
   */
  public static ThreadCounters before() {
    Long migrations = readMigrations();
    return read().with(migrations);
  }

  /** The calling thread's so far, at the end of measuring: the file is read last. */
  public static ThreadCounters after() {
    ThreadCounters counters = read();
    return counters.with(readMigrations());
  }

  public ThreadCounters since(ThreadCounters start) {
    return new ThreadCounters(
        cpuNs - start.cpuNs,
        voluntarySwitches - start.voluntarySwitches,
        involuntarySwitches - start.involuntarySwitches,
        migrations == null || start.migrations == null
            ? null
            : (Long) (migrations - start.migrations),
        minorFaults - start.minorFaults,
        majorFaults - start.majorFaults);
  }

  private static ThreadCounters read() {
    long[] usage = new long[RUSAGE_LONGS];
    long[] cpuTime = new long[2];
    LibC.getrusage(LibC.RUSAGE_THREAD, usage);
    LibC.clock_gettime(LibC.CLOCK_THREAD_CPUTIME_ID, cpuTime);
    return new ThreadCounters(
        cpuTime[0] * 1_000_000_000L + cpuTime[1],
        usage[VOLUNTARY_SWITCHES],
        usage[INVOLUNTARY_SWITCHES],
        null,
        usage[MINOR_FAULTS],
        usage[MAJOR_FAULTS]);
  }

  private ThreadCounters with(Long migrations) {
    return new ThreadCounters(
        cpuNs, voluntarySwitches, involuntarySwitches, migrations, minorFaults, majorFaults);
  }

  /** "se.nr_migrations : 12" (kernel/sched/debug.c). */
  private static Long readMigrations() {
    try {
      for (String line : Files.readAllLines(SCHED)) {
        if (line.startsWith("se.nr_migrations")) {
          return Long.valueOf(line.substring(line.indexOf(':') + 1).trim());
        }
      }
    } catch (IOException | NumberFormatException unreadable) {
      return null;
    }
    return null;
  }
}
