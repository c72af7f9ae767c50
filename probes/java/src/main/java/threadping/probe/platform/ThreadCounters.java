package threadping.probe.platform;

/** What the kernel has counted for one thread: so far, or between two readings. */
public final class ThreadCounters {
  public long cpuNs;
  public long voluntarySwitches;
  public long involuntarySwitches;

  /** Null where the kernel does not tell. */
  public Long migrations = 0L;

  public long minorFaults;
  public long majorFaults;

  /** Reads the calling thread's so far, all but its migrations: a microsecond. */
  void readQuick() {
    // struct rusage (linux/resource.h) is two struct timeval and fourteen longs.
    long[] usage = new long[18];
    LibC.getrusage(LibC.RUSAGE_THREAD, usage);
    cpuNs = LibC.cpuNs(LibC.CLOCK_THREAD_CPUTIME_ID);
    minorFaults = usage[8];
    majorFaults = usage[9];
    voluntarySwitches = usage[16];
    involuntarySwitches = usage[17];
  }

  /** Adds another thread's, or takes them away: so many times. */
  ThreadCounters add(ThreadCounters other, int times) {
    boolean isTold = migrations != null && other.migrations != null;
    cpuNs += times * other.cpuNs;
    voluntarySwitches += times * other.voluntarySwitches;
    involuntarySwitches += times * other.involuntarySwitches;
    migrations = isTold ? (Long) (migrations + times * other.migrations) : null;
    minorFaults += times * other.minorFaults;
    majorFaults += times * other.majorFaults;
    return this;
  }
}
