package threadping.probe;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.google.gson.FieldNamingPolicy;
import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import threadping.probe.engine.Experiment;
import threadping.probe.engine.Trial;

/** A request for a brief trial, field by field: contract/request.schema.json. */
public final class TrialRequest {
  public static final long MS = 1_000_000;
  public static final long HOUR = 3_600_000 * MS;
  public static final int NO_SUCH_CPU = 65535;

  static final Gson JSON =
      new GsonBuilder()
          .setFieldNamingPolicy(FieldNamingPolicy.LOWER_CASE_WITH_UNDERSCORES)
          .serializeNulls()
          .create();

  /** One that is not pinned has no CPU. */
  public record Pinned(Integer cpu) {}

  /** How a trial warms up. */
  public static final class WarmUp {
    public long rounds = 2;
    public long ops = 100;
    public Double steady;
    public long limitNs = 20 * MS;
    public long lookNs = MS / 5;
    public boolean uninterrupted;
  }

  /** How long windows are. */
  public static final class Windows {
    public String unit;
    public long throughput;
    public long sampling;
    public int visits = 5;
    public long chunkNs = 20_000;
    public double clockShare = 0.02;
  }

  /** What is looked into. */
  public static final class Outliers {
    public double factor = 2;
    public long leastNs = 1;
    public int most = 5;
  }

  public int schema = 4;
  public String experiment;
  public String mechanism;
  public Map<String, Object> params = Map.of();
  public List<Pinned> threads;
  public String pin = "thread";
  public int lines;
  public List<Integer> home;
  public WarmUp warmup = new WarmUp();
  public Windows windows = new Windows();
  public Outliers outliers = new Outliers();
  public long measureNs = 5 * MS;
  public long boundNs = 30_000 * MS;
  public long patienceNs = 10_000 * MS;
  public long seed = 7;

  /**
   * A trial of a few milliseconds of the experiment's first mechanism on these CPUs, bounded so
   * generously that only a broken one reaches the bound.
   */
  public static TrialRequest brief(Experiment experiment, Integer... cpus) {
    boolean inOps = experiment.windows() == Experiment.Unit.OPS;
    TrialRequest request = new TrialRequest();
    request.experiment = experiment.name();
    request.mechanism = experiment.mechanisms().get(0).name();
    request.threads = Arrays.stream(cpus).map(Pinned::new).toList();
    request.lines = experiment.stream() ? 1 : 4;
    request.windows.unit = inOps ? "ops" : "ns";
    request.windows.throughput = inOps ? 100 : 2 * MS;
    request.windows.sampling = inOps ? 30 : MS;
    return request;
  }

  /** The same without looks, for one that is broken: bounded soon, and nobody is patient. */
  public static TrialRequest bounded(Experiment experiment) {
    TrialRequest request = brief(experiment, null, null);
    request.lines = 1;
    request.boundNs = 400 * MS;
    request.patienceNs = 100 * MS;
    request.outliers = null;
    return request;
  }

  /**
   * One that is bounded soon, long before its end; in an hour's there would be memory for millions
   * of windows.
   */
  public static TrialRequest endless(Experiment experiment) {
    TrialRequest request = brief(experiment, null, null);
    request.warmUp(0, 1, 0);
    request.measureNs = 1_000 * MS;
    request.boundNs = 20 * MS;
    request.patienceNs = HOUR;
    return request;
  }

  public void warmUp(long rounds, long ops, long limitNs) {
    warmup.rounds = rounds;
    warmup.ops = ops;
    warmup.limitNs = limitNs;
  }

  /** The contract's message. */
  public byte[] json() {
    return JSON.toJson(this).getBytes(UTF_8);
  }

  /** The trial. Throws Failure. */
  public TrialResult run(Experiment experiment) {
    return TrialResult.of(Trial.run(json(), experiment));
  }
}
