package threadping.probe.contract;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;
import threadping.probe.platform.Native;

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

  /** What is looked into; null: nothing. */
  public Outliers outliers;

  public long measureNs;
  public long boundNs;
  public long patienceNs;
  public long seed;

  /** Throws Failure(BAD_REQUEST) for anything but a whole, valid request. */
  public static Request read(byte[] text) {
    Request request = new Request();
    request.params = new LinkedHashMap<>();
    request.cpus = new ArrayList<>();
    byte[][] told = Native.request(text);
    for (int each = 0; each < told.length; each += 2) {
      request.take(new String(told[each], UTF_8), new String(told[each + 1], UTF_8));
    }
    return request;
  }

  private void take(String name, String value) {
    switch (name) {
      case "experiment" -> experiment = value;
      case "mechanism" -> mechanism = value;
      case "cpu" -> cpus.add(value.isEmpty() ? null : (Integer) Integer.parseInt(value));
      case "pin" -> pinsProcess = value.equals("process");
      case "lines" -> lines = Integer.parseInt(value);
      case "home" -> (home = home == null ? new ArrayList<>() : home).add(Integer.parseInt(value));
      case "warmup.rounds" -> warmUp.rounds = Long.parseLong(value);
      case "warmup.ops" -> warmUp.ops = Long.parseLong(value);
      case "warmup.steady" -> warmUp.steady = Double.parseDouble(value);
      case "warmup.limit_ns" -> warmUp.limitNs = Long.parseLong(value);
      case "warmup.look_ns" -> warmUp.lookNs = Long.parseLong(value);
      case "warmup.uninterrupted" -> warmUp.uninterrupted = Boolean.parseBoolean(value);
      case "windows.unit" -> windows.unit = Unit.valueOf(value);
      case "windows.throughput" -> windows.throughput = Long.parseLong(value);
      case "windows.sampling" -> windows.sampling = Long.parseLong(value);
      case "windows.visits" -> windows.visits = Integer.parseInt(value);
      case "windows.chunk_ns" -> windows.chunkNs = Long.parseLong(value);
      case "windows.clock_share" -> windows.clockShare = Double.parseDouble(value);
      case "outliers.factor" -> (outliers = new Outliers()).factor = Double.parseDouble(value);
      case "outliers.least_ns" -> outliers.leastNs = Long.parseLong(value);
      case "outliers.most" -> outliers.most = Integer.parseInt(value);
      case "measure_ns" -> measureNs = Long.parseLong(value);
      case "bound_ns" -> boundNs = Long.parseLong(value);
      case "patience_ns" -> patienceNs = Long.parseLong(value);
      case "seed" -> seed = Long.parseLong(value);
      default -> {
        String[] typeAndParam = name.split(" ", 2);
        boolean isNumber = typeAndParam[0].equals("number");
        params.put(typeAndParam[1], isNumber ? (Object) Long.parseLong(value) : value);
      }
    }
  }

  /** The CPUs that the threads name, each once, ascending. */
  public List<Integer> namedCpus() {
    TreeSet<Integer> named = new TreeSet<>();
    cpus.stream().filter(Objects::nonNull).forEach(named::add);
    return List.copyOf(named);
  }

  /** {@code rounds} rounds of {@code ops} operations, then until it is steady; or the limit. */
  public static final class WarmUp {
    public long rounds;
    public long ops;

    /** The share by which two stretches may differ in pace; null: nobody waits for steadiness. */
    public Double steady;

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

    /** Of a window in which no operation reads the clock, and of one in which some are timed. */
    public long throughput;

    public long sampling;
    public int visits;
    public long chunkNs;
    public double clockShare;
  }

  /** Which durations are looked into, and how many of them are kept. */
  public static final class Outliers {
    /** At least so many times the median of those that its thread has timed so far. */
    public double factor;

    /** And at least so long. */
    public long leastNs;

    /** Of each thread's the longest. */
    public int most;
  }
}
