package threadping.probe.message;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/** One trial of one case: contract/request.schema.json. Times are in nanoseconds. */
public final class Request {
  public static final int MOST_THREADS = 4096;

  public String experiment;
  public String mechanism;

  /** By name; a value is a Long or a String. */
  public Map<String, Object> params;

  /** For each measuring thread the CPU that it is pinned to, or null. */
  public List<Integer> cpus;

  /** Whether the whole process gets all of these CPUs, and not each thread its own. */
  public boolean pinsProcess;

  public int lines;

  /** The CPUs on which the cells are made, ascending; null leaves that to the scheduler. */
  public List<Integer> home;

  public WarmUp warmUp = new WarmUp();
  public Windows windows = new Windows();
  public long measureNs;
  public long boundNs;
  public long patienceNs;
  public long seed;

  /** The CPUs that the threads name, each once, ascending. */
  public List<Integer> namedCpus() {
    TreeSet<Integer> named = new TreeSet<>();
    cpus.stream().filter(Objects::nonNull).forEach(named::add);
    return List.copyOf(named);
  }

  /** {@code rounds} rounds of {@code ops} operations, ended early at the limit. */
  public static final class WarmUp {
    public long rounds;
    public long ops;
    public long limitNs;

    /** A stretch of work that lasts so long tells how long an operation takes. */
    public long lookNs;

    /** Whether each round is one loop. */
    public boolean uninterrupted;

    public long wantedOps() {
      return rounds * ops;
    }
  }

  /** What windows are measured in: operations of each thread, or nanoseconds. */
  public enum Unit {
    OPS,
    NS;

    public final String word = name().toLowerCase(Locale.ROOT);
  }

  /** How long windows are, and what belongs to them. */
  public static final class Windows {
    public Unit unit;
    public long plain;
    public long timed;
    public int visits;
    public long chunkNs;
    public double clockShare;
  }
}
