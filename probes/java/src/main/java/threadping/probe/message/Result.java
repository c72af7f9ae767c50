package threadping.probe.message;

import java.util.List;
import threadping.probe.platform.Clock;
import threadping.probe.platform.RunLengths;
import threadping.probe.platform.ThreadCounters;

/** What a trial measured: contract/result.schema.json. A null stands for what nobody tells. */
public final class Result {
  public String experiment;
  public String mechanism;
  public final List<MeasuringThread> threads;

  public Clock clock;

  public long warmupOps;
  public long warmupNs;
  public boolean warmupComplete;

  public long measuredOps;
  public long measuredNs;
  public boolean cut;

  public int blockRoundTrips = 1;

  /** For each line its blocks' mean round trips. */
  public List<double[]> lines;

  public Partial partial;

  /** Single round trips in nanoseconds. */
  public RunLengths singles;

  public Long stealNs;
  public Long interrupts;
  public Long compileMs;
  public long collections;

  public Result(List<MeasuringThread> threads) {
    this.threads = threads;
  }

  /** One measuring thread. */
  public static final class MeasuringThread {
    public final String role;
    public List<Integer> cpusStart;
    public List<Integer> cpusEnd;

    /** Over the measuring phase. */
    public ThreadCounters counters = ThreadCounters.none();

    public MeasuringThread(String role) {
      this.role = role;
    }
  }

  /** The block that the bound cut. */
  public static final class Partial {
    public final int line;
    public final long roundTrips;
    public final long ns;

    public Partial(int line, long roundTrips, long ns) {
      this.line = line;
      this.roundTrips = roundTrips;
      this.ns = ns;
    }
  }
}
