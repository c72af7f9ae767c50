package threadping.probe.lock;

import java.util.List;
import threadping.probe.crew.Experiment;
import threadping.probe.lock.mechanisms.Mechanisms;
import threadping.probe.message.Request;

/** The experiment {@code lock}: threads share a counter. */
public final class Lock {
  public static final Experiment EXPERIMENT =
      new Experiment(
          "lock",
          List.of("worker"),
          1,
          Request.MOST_THREADS,
          Request.Unit.NS,
          "No thread gets the lock any more: a release was lost, or the lock deadlocks.",
          Mechanisms.ALL);

  private Lock() {}
}
