package threadping.probe.signal;

import java.util.List;
import threadping.probe.Experiment;
import threadping.probe.Params;
import threadping.probe.message.Request;
import threadping.probe.message.SignalResult;
import threadping.probe.signal.mechanisms.Mechanisms;
import threadping.probe.signal.mechanisms.SignalMechanism;

/** The experiment {@code signal}: one thread tells another. */
public final class Signal extends Experiment<SignalMechanism, SignalResult> {
  static final List<String> ROLES = List.of("ping", "pong");

  public Signal() {
    super("signal", ROLES, ROLES.size(), ROLES.size());
  }

  @Override
  public List<SignalMechanism> mechanisms() {
    return Mechanisms.ALL;
  }

  @Override
  protected SignalResult run(Request request, SignalMechanism mechanism, Params params)
      throws InterruptedException {
    return new Trial(request, mechanism, params).run();
  }
}
