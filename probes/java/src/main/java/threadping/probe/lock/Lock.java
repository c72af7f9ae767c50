package threadping.probe.lock;

import java.util.List;
import threadping.probe.Experiment;
import threadping.probe.Params;
import threadping.probe.lock.mechanisms.LockMechanism;
import threadping.probe.lock.mechanisms.Mechanisms;
import threadping.probe.message.LockResult;
import threadping.probe.message.Request;

/** The experiment {@code lock}: threads share a counter. */
public final class Lock extends Experiment<LockMechanism, LockResult> {
  static final String ROLE = "worker";

  private static final int MOST_THREADS = 4096;

  public Lock() {
    super("lock", List.of(ROLE), 1, MOST_THREADS);
  }

  @Override
  public List<LockMechanism> mechanisms() {
    return Mechanisms.ALL;
  }

  @Override
  protected LockResult run(Request request, LockMechanism mechanism, Params params)
      throws InterruptedException {
    return new Trial(request, mechanism, params).run();
  }
}
