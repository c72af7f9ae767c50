package threadping.probe.message;

import java.util.List;
import java.util.Map;

/** One trial of one case: contract/request.schema.json. */
public final class Request {
  public String experiment;
  public String mechanism;

  /** By name; a value is a Long or a String. */
  public Map<String, Object> params;

  /** For each measuring thread the CPU that it is pinned to, or null. */
  public List<Integer> cpus;

  /** Whether the whole process gets all of these CPUs, and not each thread its own. */
  public boolean pinsProcess;

  public int lines;
  public long warmupRounds;
  public long warmupOps;
  public long warmupLimitNs;
  public long measureNs;
  public long boundNs;
  public long seed;
}
