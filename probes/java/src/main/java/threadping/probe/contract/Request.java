package threadping.probe.contract;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeSet;

/**
 * One trial of one case: contract/request.schema.json. Times are in nanoseconds.
 *
 * <p>It is read strictly: what the contract does not name, or names with another type or range, is
 * refused with a sentence that says where.
 */
public final class Request {
  public static final int MOST_THREADS = 4096;

  private static final int HIGHEST_CPU = 65535;
  private static final long HOUR_NS = 3_600_000_000_000L;

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
    try {
      Request request = new Request();
      request.read(new StrictObject(Json.read(text), ""));
      return request;
    } catch (IOException error) {
      throw BAD_REQUEST.failure(error, "The request is not JSON: %s", error.getMessage());
    }
  }

  private void read(StrictObject fields) {
    refuseOtherSchemas(fields.integer("schema", 0, Integer.MAX_VALUE));
    experiment = fields.text("experiment");
    mechanism = fields.text("mechanism");
    params = fields.object("params").numbersAndTexts();
    cpus = threads(fields.at("threads"));
    pinsProcess = fields.isFirst("pin", "process", "thread");
    lines = (int) fields.integer("lines", 1, 65536);
    home = home(fields.at("home"));
    warmUp.read(fields.object("warmup"));
    windows.read(fields.object("windows"));
    outliers = outliers(fields.at("outliers"));
    measureNs = fields.integer("measure_ns", 1_000_000, HOUR_NS);
    boundNs = fields.integer("bound_ns", 1_000_000, 2 * HOUR_NS);
    patienceNs = fields.integer("patience_ns", 1_000_000, HOUR_NS);
    seed = fields.integer("seed", 0, (1L << 53) - 1);
    fields.refuseTheRest();
  }

  private static void refuseOtherSchemas(long schema) {
    if (schema != Json.SCHEMA) {
      throw BAD_REQUEST.failure(
          "The request speaks schema %s, this probe speaks %s: "
              + "take a probe and a threadping of the same build.",
          schema, Json.SCHEMA);
    }
  }

  private static List<Integer> threads(Object value) {
    List<Integer> cpus = new ArrayList<>();
    for (Object each : StrictObject.list(value, "threads", MOST_THREADS)) {
      StrictObject thread = new StrictObject(each, "threads." + cpus.size());
      Object cpu = thread.at("cpu");
      cpus.add(cpu == null ? null : (Integer) cpu(cpu, "threads." + cpus.size() + ".cpu"));
      thread.refuseTheRest();
    }
    return cpus;
  }

  private static List<Integer> home(Object value) {
    if (value == null) {
      return null;
    }
    TreeSet<Integer> cpus = new TreeSet<>();
    int each = 0;
    for (Object cpu : StrictObject.list(value, "home", Integer.MAX_VALUE)) {
      cpus.add(cpu(cpu, "home." + each++));
    }
    return List.copyOf(cpus);
  }

  private static Outliers outliers(Object value) {
    if (value == null) {
      return null;
    }
    Outliers outliers = new Outliers();
    outliers.read(new StrictObject(value, "outliers"));
    return outliers;
  }

  private static int cpu(Object value, String path) {
    return (int) StrictObject.integer(value, path, 0, HIGHEST_CPU);
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

    private void read(StrictObject fields) {
      rounds = fields.integer("rounds", 0, 1_000_000);
      ops = fields.integer("ops", 1, 1_000_000_000_000L);
      steady = fields.shareOrNull("steady");
      limitNs = fields.integer("limit_ns", 0, HOUR_NS);
      lookNs = fields.integer("look_ns", 1, HOUR_NS);
      uninterrupted = fields.flag("uninterrupted");
      fields.refuseTheRest();
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

    private void read(StrictObject fields) {
      unit = fields.isFirst("unit", Unit.OPS.word, Unit.NS.word) ? Unit.OPS : Unit.NS;
      throughput = fields.integer("throughput", 1, HOUR_NS);
      sampling = fields.integer("sampling", 1, HOUR_NS);
      visits = (int) fields.integer("visits", 1, 1000);
      chunkNs = fields.integer("chunk_ns", 1, 1_000_000_000);
      clockShare = fields.share("clock_share");
      fields.refuseTheRest();
    }
  }

  /** Which durations are looked into, and how many of them are kept. */
  public static final class Outliers {
    /** At least so many times the median of those that its thread has timed so far. */
    public double factor;

    /** And at least so long. */
    public long leastNs;

    /** Of each thread's the longest. */
    public int most;

    private void read(StrictObject fields) {
      factor = fields.number("factor", 1, 1_000_000);
      leastNs = fields.integer("least_ns", 1, HOUR_NS);
      most = (int) fields.integer("most", 1, 10_000);
      fields.refuseTheRest();
    }
  }
}
