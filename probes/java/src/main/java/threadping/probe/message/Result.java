package threadping.probe.message;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import threadping.probe.platform.Clock;
import threadping.probe.platform.MachineCounters;
import threadping.probe.platform.ThreadCounters;

/**
 * What a trial measured: contract/result.schema.json. Times are in nanoseconds; a null stands for
 * what nobody tells.
 */
public final class Result {
  public String experiment;
  public String mechanism;
  public final List<MeasuringThread> threads;

  /** The NUMA nodes of the cells' memory, ascending. */
  public List<Integer> homeNodes;

  public Clock clock;

  public long warmUpOps;
  public long warmUpNs;
  public boolean warmUpComplete;

  public long measuredOps;
  public long measuredNs;
  public boolean cut;

  public MachineCounters machine = MachineCounters.UNKNOWN;
  public Long compileMs;
  public long collections;

  public final Windows windows;
  public final Map<String, Distribution> distributions = new TreeMap<>();
  public Map<String, Held> counts = Map.of();

  /** Of threads with these roles. */
  public Result(List<String> roles) {
    this.threads = roles.stream().map(MeasuringThread::new).collect(Collectors.toList());
    this.windows = new Windows(roles.size());
  }

  /** The CPUs on which the threads may run, once they stand there. */
  public Set<Integer> cpusInUse() {
    Set<Integer> cpus = new TreeSet<>();
    for (MeasuringThread thread : threads) {
      cpus.addAll(thread.cpusStart);
    }
    return cpus;
  }

  /** One measuring thread. */
  public static final class MeasuringThread {
    public final String role;
    public List<Integer> cpusStart;
    public List<Integer> cpusEnd;

    /** Over the measuring phase. */
    public ThreadCounters counters = ThreadCounters.none();

    MeasuringThread(String role) {
      this.role = role;
    }
  }

  /** Windows in columns: entry i of each is about window i. */
  public static final class Windows {
    /** In a timed window one operation in so many is timed. */
    public int every = 1;

    public int count;
    public int[] line = new int[0];
    public boolean[] timed = new boolean[0];
    public long[] ns = new long[0];

    /** For each thread a column. */
    public final long[][] ops;

    Windows(int threads) {
      ops = new long[threads][0];
    }

    /** Takes memory for so many, as it would be taken while they are added. */
    public void reserve(int room) {
      line = Arrays.copyOf(line, room);
      timed = Arrays.copyOf(timed, room);
      ns = Arrays.copyOf(ns, room);
      Arrays.setAll(ops, thread -> Arrays.copyOf(ops[thread], room));
    }

    /** One more, in which each thread completed so many operations. */
    public void add(int onLine, boolean isTimed, long tookNs, long[] completed) {
      if (count == line.length) {
        reserve(Math.max(16, 2 * count));
      }
      line[count] = onLine;
      timed[count] = isTimed;
      ns[count] = Math.max(1, tookNs);
      for (int thread = 0; thread < completed.length; thread++) {
        ops[thread][count] = completed[thread];
      }
      count++;
    }
  }

  /** Distinct durations, ascending, how often each occurred, and how many windows' edges cut. */
  public static final class Distribution {
    public final long[] values;
    public final long[] counts;
    public final long censored;

    public Distribution(long[] values, long[] counts, long censored) {
      this.values = values;
      this.counts = counts;
      this.censored = censored;
    }
  }

  /** What was made and what was found; where {@code exact}, they must be equal. */
  public static final class Held {
    public final long made;
    public final long found;
    public final boolean exact;

    public Held(long made, long found, boolean exact) {
      this.made = made;
      this.found = found;
      this.exact = exact;
    }
  }
}
