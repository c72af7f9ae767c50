package threadping.probe;

import java.util.Arrays;
import java.util.Map;
import threadping.probe.message.Request;

/** Requests for brief trials. */
public final class Requests {
  private static final long MS = 1_000_000;

  private Requests() {}

  /** A trial of some milliseconds on these CPUs. */
  public static Request brief(String mechanism, Integer... cpus) {
    Request request = new Request();
    request.experiment = "signal";
    request.mechanism = mechanism;
    request.params = Map.of();
    request.cpus = Arrays.asList(cpus);
    request.lines = 4;
    request.warmupRounds = 2;
    request.warmupOps = 1000;
    request.warmupLimitNs = 50 * MS;
    request.measureNs = 20 * MS;
    request.boundNs = 20_000 * MS;
    request.seed = 7;
    return request;
  }

  /** The same of the experiment lock. */
  public static Request lock(String mechanism, Integer... cpus) {
    Request request = brief(mechanism, cpus);
    request.experiment = "lock";
    return request;
  }

  /** The same with a bound so near that it cuts what does not end by itself. */
  public static Request bounded(long boundMs, String mechanism, Integer... cpus) {
    Request request = brief(mechanism, cpus);
    request.boundNs = boundMs * MS;
    return request;
  }
}
