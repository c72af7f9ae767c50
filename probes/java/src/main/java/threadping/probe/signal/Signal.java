package threadping.probe.signal;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import threadping.probe.Failure;
import threadping.probe.Mechanism;
import threadping.probe.message.Description;
import threadping.probe.message.Request;
import threadping.probe.message.Result;

/** The experiment {@code signal}: one thread tells another. */
public final class Signal {
  public static final String NAME = "signal";

  private static final List<String> ROLES = List.of("ping", "pong");

  private Signal() {}

  public static Description.Experiment describe() {
    return new Description.Experiment(NAME, ROLES, Mechanisms.ALL);
  }

  /** Measures one trial. Throws Failure for what the contract calls an error. */
  public static Result run(Request request) throws InterruptedException {
    return run(request, Mechanisms.ALL);
  }

  static Result run(Request request, List<SignalMechanism> mechanisms) throws InterruptedException {
    for (SignalMechanism mechanism : mechanisms) {
      if (mechanism.name().equals(request.mechanism)) {
        return new Trial(request, mechanism, check(request, mechanism)).run();
      }
    }
    throw new Failure(
        Failure.Code.UNKNOWN_MECHANISM,
        "No mechanism '" + request.mechanism + "' in " + NAME + " here.");
  }

  /** The request's parameters, completed with the defaults. */
  private static Map<String, Object> check(Request request, Mechanism mechanism) {
    if (mechanism.needs() != null) {
      throw new Failure(
          Failure.Code.UNSUPPORTED, mechanism.name() + " needs " + mechanism.needs() + ".");
    }
    if (request.cpus.size() != ROLES.size()) {
      throw new Failure(
          Failure.Code.BAD_REQUEST,
          NAME + " takes 2 threads, ping and pong, not " + request.cpus.size() + ".");
    }
    Map<String, Object> params = new LinkedHashMap<>();
    for (Mechanism.Param param : mechanism.params()) {
      params.put(param.name, param.defaultValue);
    }
    Set<String> known = Set.copyOf(params.keySet());
    for (Map.Entry<String, Object> param : request.params.entrySet()) {
      if (!known.contains(param.getKey())) {
        throw new Failure(
            Failure.Code.UNKNOWN_PARAM,
            mechanism.name() + " has no parameter '" + param.getKey() + "'.");
      }
      params.put(param.getKey(), param.getValue());
    }
    return params;
  }
}
