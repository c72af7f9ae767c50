package threadping.probe.platform;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What the kernel has counted for one thread: so far, or between two readings. */
public final class ThreadCounters {
  private static final Path SCHED = Path.of("/proc/thread-self/sched");
  private static final String MIGRATIONS = "se.nr_migrations";

  /** struct rusage (linux/resource.h) is two struct timeval and fourteen longs. */
  private static final int RUSAGE_LONGS = 18;

  private static final int MINOR_FAULTS = 8;
  private static final int MAJOR_FAULTS = 9;
  private static final int VOLUNTARY_SWITCHES = 16;
  private static final int INVOLUNTARY_SWITCHES = 17;

  /** In proc(5)'s stat, counted from the state, which follows the name. */
  private static final int MINOR_FAULTS_IN_STAT = 7;

  private static final int MAJOR_FAULTS_IN_STAT = 9;

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
    return new ThreadCounters(0, 0, 0, 0L, 0, 0);
  }

  /** The calling thread's so far, without its migrations: what is read in a microsecond. */
  static ThreadCounters quick() {
    long[] usage = new long[RUSAGE_LONGS];
    LibC.getrusage(LibC.RUSAGE_THREAD, usage);
    return new ThreadCounters(
        LibC.cpuNs(LibC.CLOCK_THREAD_CPUTIME_ID),
        usage[VOLUNTARY_SWITCHES],
        usage[INVOLUNTARY_SWITCHES],
        null,
        usage[MINOR_FAULTS],
        usage[MAJOR_FAULTS]);
  }

  /** The calling thread's migrations so far: a file, which takes long; null if nobody tells. */
  static Long migrationsSoFar() {
    try {
      return Task.numberAfter(MIGRATIONS, Files.readString(SCHED));
    } catch (IOException | NumberFormatException unreadable) {
      return null;
    }
  }

  ThreadCounters with(Long itsMigrations) {
    return new ThreadCounters(
        cpuNs, voluntarySwitches, involuntarySwitches, itsMigrations, minorFaults, majorFaults);
  }

  /** Another thread's so far; null if it has ended. */
  static ThreadCounters of(Task task) {
    String stat = task.read("stat");
    String status = task.read("status");
    String sched = task.read("sched");
    if (stat == null || status == null) {
      return null;
    }
    String[] words = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
    return new ThreadCounters(
        task.cpuNs(),
        Task.numberAfter("voluntary_ctxt_switches", status),
        Task.numberAfter("nonvoluntary_ctxt_switches", status),
        sched == null ? null : Task.numberAfter(MIGRATIONS, sched),
        Long.parseLong(words[MINOR_FAULTS_IN_STAT]),
        Long.parseLong(words[MAJOR_FAULTS_IN_STAT]));
  }

  ThreadCounters plus(ThreadCounters other) {
    return with(other, 1);
  }

  ThreadCounters since(ThreadCounters start) {
    return with(start, -1);
  }

  private ThreadCounters with(ThreadCounters other, int sign) {
    boolean isTold = migrations != null && other.migrations != null;
    return new ThreadCounters(
        cpuNs + sign * other.cpuNs,
        voluntarySwitches + sign * other.voluntarySwitches,
        involuntarySwitches + sign * other.involuntarySwitches,
        isTold ? (Long) (migrations + sign * other.migrations) : null,
        minorFaults + sign * other.minorFaults,
        majorFaults + sign * other.majorFaults);
  }
}
