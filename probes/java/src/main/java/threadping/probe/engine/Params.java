package threadping.probe.engine;

import java.util.HashMap;
import java.util.Map;

/**
 * A value for each of a mechanism's parameters: what a request gave, which has been checked, and
 * the defaults.
 */
public final class Params {
  private final Map<String, Object> values = new HashMap<>();

  private Params() {}

  /** Completes what a request gave. */
  public static Params of(Mechanism mechanism, Map<String, Object> given) {
    Params params = new Params();
    for (Param param : mechanism.params()) {
      params.values.put(param.name(), given.getOrDefault(param.name(), param.defaultValue()));
    }
    return params;
  }

  public String text(String name) {
    return (String) values.get(name);
  }

  public long number(String name) {
    return (long) values.get(name);
  }

  /** A number, or {@code otherwise} where the mechanism has no such parameter. */
  public long number(String name, long otherwise) {
    return (long) values.getOrDefault(name, otherwise);
  }
}
