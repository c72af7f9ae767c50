package threadping.probe.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import threadping.probe.platform.Clock;
import threadping.probe.platform.MachineCounters;
import threadping.probe.platform.Native;
import threadping.probe.platform.SafepointLog;
import threadping.probe.platform.Skew;
import threadping.probe.platform.ThreadCounters;

/**
 * What a trial measured: contract/result.schema.json, which src/main/native/result.cpp fills from
 * these fields by their names. Times are in nanoseconds; a null stands for what nobody tells.
 */
public final class Result {
  /** How a warm-up ended. */
  public enum Ended {
    STEADY,
    ROUNDS,
    LIMIT
  }

  public String experiment;
  public String mechanism;
  public final List<MeasuringThread> threads;

  /** The NUMA nodes of the cells' memory, ascending. */
  public List<Integer> homeNodes;

  public Clock clock;

  /** Null where no clocks are compared. */
  public Skew skew;

  public long warmUpOps;
  public long warmUpNs;
  public Ended warmUpEnded = Ended.LIMIT;

  public long measuredOps;
  public long measuredNs;
  public boolean cut;

  public MachineCounters machine = MachineCounters.UNKNOWN;
  public Long compileMs;
  public long collections;

  /** When the virtual machine stopped all its threads; null where it does not tell. */
  public List<SafepointLog.Pause> pauses;

  public final Windows windows;
  public final Map<String, Distribution> distributions = new TreeMap<>();

  /** Whether anything was to be looked into. */
  public boolean hasEvidence;

  public final Map<String, Held> counts = new TreeMap<>();

  /** Of threads with these roles. */
  public Result(List<String> roles) {
    this.threads = roles.stream().map(MeasuringThread::new).toList();
    this.windows = new Windows(roles.size());
  }

  /** The contract's message; throws Failure(INTERNAL). */
  public byte[] json() {
    windows.reserve(windows.count); // and no more
    return Native.result(this);
  }

  /** The CPUs on which the threads may run, once they stand there. */
  public Set<Integer> cpusInUse() {
    return threads.stream()
        .flatMap(thread -> thread.cpusStart.stream())
        .collect(Collectors.toSet());
  }

  /** One measuring thread. */
  public static final class MeasuringThread {
    public final String role;
    public List<Integer> cpusStart;
    public List<Integer> cpusEnd;

    /** Over the measuring phase. */
    public ThreadCounters counters = new ThreadCounters(0, 0, 0, 0, 0, null);

    /**
     * The address of its looks (engine/looks.hpp), 0 of none; and the distribution that they are
     * into.
     */
    public long looks;

    public String timed;

    MeasuringThread(String role) {
      this.role = role;
    }
  }

  /** Windows in columns: entry i of each is about window i. */
  public static final class Windows {
    public int count;

    /** The first so many were the warm-up's. */
    public int warmUp;

    public int[] line = new int[0];

    /** In a sampling window one operation in so many is timed; 0 in a throughput window. */
    public int[] every = new int[0];

    public long[] ns = new long[0];

    /** For each thread a column. */
    public final long[][] ops;

    /** Involuntary switches of all threads; null where nobody reads them. */
    public long[] switches;

    /** Null where the runtime does not tell. */
    public long[] compileMs;

    Windows(int threads) {
      ops = new long[threads][0];
    }

    /** Takes memory for so many, as it would be taken while they are added. */
    public void reserve(int room) {
      line = Arrays.copyOf(line, room);
      every = Arrays.copyOf(every, room);
      ns = Arrays.copyOf(ns, room);
      for (int thread = 0; thread < ops.length; thread++) {
        ops[thread] = Arrays.copyOf(ops[thread], room);
      }
      switches = switches == null ? null : Arrays.copyOf(switches, room);
      compileMs = compileMs == null ? null : Arrays.copyOf(compileMs, room);
    }

    /** One more, in which each thread completed so many operations. */
    public void add(int onLine, int oneIn, long tookNs, long[] completed) {
      if (count == line.length) {
        reserve(Math.max(16, 2 * count));
      }
      line[count] = onLine;
      every[count] = oneIn;
      ns[count] = Math.max(1, tookNs);
      for (int thread = 0; thread < completed.length; thread++) {
        ops[thread][count] = completed[thread];
      }
      count++;
    }

    public boolean isSampling(int window) {
      return every[window] > 0;
    }
  }

  /**
   * Distinct values, ascending, how often each occurred, how many a window's edge cut, and how many
   * came out below 0.
   */
  public record Distribution(
      String unit, long[] values, long[] counts, long censored, long negative) {}

  /** What was made and what was found; where {@code exact}, they must be equal. */
  public record Held(long made, long found, boolean exact) {
    /** Another thread's besides. */
    public Held plus(Held other) {
      return new Held(made + other.made, found + other.found, exact);
    }
  }
}
