package threadping.probe;

import java.util.Arrays;
import java.util.Map;
import threadping.probe.contract.Request;
import threadping.probe.engine.Experiment;

/** Requests for brief trials. */
public final class Requests {
  public static final long MS = 1_000_000;
  public static final long HOUR = 3_600_000 * MS;
  public static final int NO_SUCH_CPU = 65535;

  private Requests() {}

  /**
   * A trial of a few milliseconds of the experiment's first mechanism on these CPUs, bounded so
   * generously that only a broken one reaches the bound.
   */
  public static Request brief(Experiment experiment, Integer... cpus) {
    boolean inOps = experiment.windows() == Request.Unit.OPS;
    Request request = new Request();
    request.experiment = experiment.name();
    request.mechanism = experiment.mechanisms().get(0).name();
    request.params = Map.of();
    request.cpus = Arrays.asList(cpus);
    request.lines = experiment.stream() ? 1 : 4;
    warmUp(request, 2, 100, 20 * MS);
    request.warmUp.lookNs = MS / 5;
    request.windows.unit = experiment.windows();
    request.windows.throughput = inOps ? 100 : 2 * MS;
    request.windows.sampling = inOps ? 30 : MS;
    request.windows.visits = 5;
    request.windows.chunkNs = 20_000;
    request.windows.clockShare = 0.02;
    request.outliers = new Request.Outliers();
    request.outliers.factor = 2;
    request.outliers.leastNs = 1;
    request.outliers.most = 5;
    request.measureNs = 5 * MS;
    request.boundNs = 30_000 * MS;
    request.patienceNs = 10_000 * MS;
    request.seed = 7;
    return request;
  }

  /** The same without looks, for one that is broken: bounded soon, and nobody is patient. */
  public static Request bounded(Experiment experiment) {
    Request request = brief(experiment, null, null);
    request.lines = 1;
    request.boundNs = 400 * MS;
    request.patienceNs = 100 * MS;
    request.outliers = null;
    return request;
  }

  public static void warmUp(Request request, long rounds, long ops, long limitNs) {
    request.warmUp.rounds = rounds;
    request.warmUp.ops = ops;
    request.warmUp.limitNs = limitNs;
  }

  /** A warm-up that only its limit ends. */
  public static void warmUpForEver(Request request, long limitNs) {
    warmUp(request, 1_000_000, 1_000_000_000_000L, limitNs);
  }

  /** One without an end of its own, which is bounded soon. */
  public static Request endless(Experiment experiment) {
    Request request = brief(experiment, null, null);
    warmUp(request, 0, 1, 0);
    request.measureNs = HOUR;
    request.boundNs = 20 * MS;
    request.patienceNs = HOUR;
    return request;
  }
}
