package threadping.probe.contract;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import threadping.probe.Failure;
import threadping.probe.platform.Clock;
import threadping.probe.platform.MachineCounters;
import threadping.probe.platform.SafepointLog;
import threadping.probe.platform.Skew;
import threadping.probe.platform.ThreadCounters;

/**
 * What a trial measured: contract/result.schema.json. Times are in nanoseconds; a null stands for
 * what nobody tells.
 */
public final class Result {
  /** How a warm-up ended. */
  public enum Ended {
    STEADY,
    ROUNDS,
    LIMIT;

    final String word = name().toLowerCase(Locale.ROOT);
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

  /** Null if nothing was to be looked into. */
  public Evidence evidence;

  public final Map<String, Held> counts = new TreeMap<>();

  /** Of threads with these roles. */
  public Result(List<String> roles) {
    this.threads = roles.stream().map(MeasuringThread::new).toList();
    this.windows = new Windows(roles.size());
  }

  /** Why nothing was measured. */
  public static byte[] json(Failure failure) {
    return Json.message(
        Json.object(
            "error", Json.object("code", failure.code.word(), "message", failure.getMessage())));
  }

  public byte[] json() {
    Map<String, Object> reading =
        Json.object(
            "name",
            Clock.NAME,
            "cost_ns",
            clock.costNs(),
            "resolution_ns",
            clock.resolutionNs(),
            "skew",
            skew == null
                ? null
                : Json.object("least_ns", skew.leastNs(), "most_ns", skew.mostNs()));
    return Json.message(
        Json.object(
            "experiment", experiment,
            "mechanism", mechanism,
            "threads", threads,
            "clock", reading,
            "warmup", Json.object("ops", warmUpOps, "ns", warmUpNs, "ended", warmUpEnded.word),
            "measured", Json.object("ops", measuredOps, "ns", measuredNs, "cut", cut),
            "home", Json.object("nodes", homeNodes),
            "machine",
                Json.object(
                    "steal_ns",
                    machine.stealNs(),
                    "interrupts",
                    machine.interrupts(),
                    "energy_uj",
                    machine.energyUj()),
            "managed",
                Json.object("compile_ms", compileMs, "collections", collections, "pauses", stops()),
            "windows", windows,
            "distributions", distributions,
            "evidence", evidence,
            "counts", counts));
  }

  private List<Map<String, Object>> stops() {
    return pauses == null
        ? null
        : pauses.stream()
            .map(
                pause -> Json.object("at_ns", pause.atNs(), "ns", pause.ns(), "name", pause.name()))
            .toList();
  }

  /** The CPUs on which the threads may run, once they stand there. */
  public Set<Integer> cpusInUse() {
    return threads.stream()
        .flatMap(thread -> thread.cpusStart.stream())
        .collect(Collectors.toSet());
  }

  /** One measuring thread. */
  public static final class MeasuringThread implements Json.Fields {
    public final String role;
    public List<Integer> cpusStart;
    public List<Integer> cpusEnd;

    /** Over the measuring phase. */
    public ThreadCounters counters = new ThreadCounters(0, 0, 0, 0, 0, null);

    MeasuringThread(String role) {
      this.role = role;
    }

    @Override
    public Map<String, Object> fields() {
      return Json.object(
          "role", role,
          "cpus_start", cpusStart,
          "cpus_end", cpusEnd,
          "cpu_ns", counters.cpuNs(),
          "voluntary_switches", counters.voluntarySwitches(),
          "involuntary_switches", counters.involuntarySwitches(),
          "migrations", counters.migrations(),
          "minor_faults", counters.minorFaults(),
          "major_faults", counters.majorFaults());
    }
  }

  /** Windows in columns: entry i of each is about window i. */
  public static final class Windows implements Json.Fields {
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

    @Override
    public Map<String, Object> fields() {
      reserve(count); // and no more
      Boolean[] warming = new Boolean[count];
      Arrays.setAll(warming, window -> window < warmUp);
      String[] kind = new String[count];
      Arrays.setAll(kind, window -> isSampling(window) ? "sampling" : "throughput");
      return Json.object(
          "warmup", Arrays.asList(warming),
          "line", line,
          "kind", Arrays.asList(kind),
          "every", every,
          "ns", ns,
          "ops", Arrays.asList(ops),
          "switches", switches,
          "compile_ms", compileMs);
    }
  }

  /**
   * Distinct values, ascending, how often each occurred, how many a window's edge cut, and how many
   * came out below 0.
   */
  public record Distribution(
      String unit, long[] values, long[] counts, long censored, long negative)
      implements Json.Fields {
    @Override
    public Map<String, Object> fields() {
      return Json.object(
          "unit", unit,
          "values", values,
          "counts", counts,
          "censored", censored,
          "negative", negative);
    }
  }

  /** What was made and what was found; where {@code exact}, they must be equal. */
  public record Held(long made, long found, boolean exact) implements Json.Fields {
    /** Another thread's besides. */
    public Held plus(Held other) {
      return new Held(made + other.made, found + other.found, exact);
    }

    @Override
    public Map<String, Object> fields() {
      return Json.object("made", made, "found", found, "exact", exact);
    }
  }
}
