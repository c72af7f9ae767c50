package threadping.probe.engine;

import static threadping.probe.Failure.Code.BAD_REQUEST;

import java.util.LinkedHashMap;
import java.util.Map;
import threadping.probe.Failure;

/** A value for each of a mechanism's parameters: what a request gave, and the defaults. */
public final class Params {
  private final Map<String, Object> values = new LinkedHashMap<>();

  private Params() {}

  /**
   * Completes and checks what a request gave. Throws Failure(UNKNOWN_PARAM) for a name that the
   * mechanism does not list, and Failure(BAD_REQUEST) for a value that it does not allow.
   */
  public static Params of(Mechanism mechanism, Map<String, Object> given) {
    Params params = new Params();
    for (Param param : mechanism.params()) {
      params.values.put(param.name(), given.getOrDefault(param.name(), param.defaultValue()));
    }
    for (String name : given.keySet()) {
      if (!params.values.containsKey(name)) {
        throw Failure.Code.UNKNOWN_PARAM.failure(
            "%s has no parameter '%s'.", mechanism.name(), name);
      }
    }
    for (Param param : mechanism.params()) {
      if (given.containsKey(param.name())) {
        params.check(param, mechanism.name());
      }
    }
    return params;
  }

  private void check(Param param, String mechanism) {
    String subject = "The parameter " + param.name() + " of " + mechanism;
    Object value = values.get(param.name());
    if (!param.allows(value)) {
      throw BAD_REQUEST.failure("%s must be %s, not '%s'.", subject, param.allowed(), value);
    }
    Map.Entry<String, String> partner = param.onlyWith();
    if (partner != null && !partner.getValue().equals(values.get(partner.getKey()))) {
      throw BAD_REQUEST.failure("%s may be given only with %s.", subject, partner);
    }
  }

  public String text(String name) {
    return (String) values.get(name);
  }

  public long number(String name) {
    return (long) values.get(name);
  }

  /** The same, or that where the mechanism has no such parameter. */
  public long number(String name, long otherwise) {
    return (long) values.getOrDefault(name, otherwise);
  }
}
