package threadping.probe.signal;

import java.util.List;
import java.util.Objects;
import threadping.probe.Failure;
import threadping.probe.Mechanism;
import threadping.probe.Params;
import threadping.probe.message.Description;
import threadping.probe.message.Request;
import threadping.probe.message.Result;
import threadping.probe.signal.mechanisms.Mechanisms;
import threadping.probe.signal.mechanisms.SignalMechanism;

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

  /** The same of one of these mechanisms. */
  public static Result run(Request request, List<SignalMechanism> mechanisms)
      throws InterruptedException {
    for (SignalMechanism mechanism : mechanisms) {
      if (mechanism.name().equals(request.mechanism)) {
        check(request, mechanism);
        return new Trial(request, mechanism, Params.of(mechanism, request.params)).run();
      }
    }
    throw new Failure(
        Failure.Code.UNKNOWN_MECHANISM,
        "No mechanism '" + request.mechanism + "' in " + NAME + " here.");
  }

  private static void check(Request request, Mechanism mechanism) {
    if (mechanism.needs() != null) {
      throw new Failure(
          Failure.Code.UNSUPPORTED, mechanism.name() + " needs " + mechanism.needs() + ".");
    }
    if (request.cpus.size() != ROLES.size()) {
      throw bad(NAME + " takes 2 threads, ping and pong, not " + request.cpus.size() + ".");
    }
    long pinned = request.cpus.stream().filter(Objects::nonNull).count();
    if (pinned > 0 && !mechanism.pinnable()) {
      throw bad(
          mechanism.name()
              + " has virtual threads, which have no CPU of their own: measure it unpinned.");
    }
    if (request.pinsProcess && pinned > 0 && pinned < ROLES.size()) {
      throw bad(
          "The process is pinned to a CPU for every thread, or not at all: name all or none.");
    }
  }

  private static Failure bad(String message) {
    return new Failure(Failure.Code.BAD_REQUEST, message);
  }
}
