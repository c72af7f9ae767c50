package threadping.probe.crew;

import java.util.List;
import threadping.probe.message.Request;

/** A question that this probe can answer. */
public final class Experiment {
  public final String name;

  /** Of the threads in order, again and again. */
  public final List<String> roles;

  public final int leastThreads;
  public final int mostThreads;

  /** Who leads: with ops the first thread, with ns an outsider. */
  public final Request.Unit windows;

  /** What to say when nobody moves any more. */
  public final String stalled;

  /** In the order in which they are shown. */
  public final List<Mechanism> mechanisms;

  public Experiment(
      String name,
      List<String> roles,
      int leastThreads,
      int mostThreads,
      Request.Unit windows,
      String stalled,
      List<Mechanism> mechanisms) {
    this.name = name;
    this.roles = roles;
    this.leastThreads = leastThreads;
    this.mostThreads = mostThreads;
    this.windows = windows;
    this.stalled = stalled;
    this.mechanisms = mechanisms;
  }

  String role(int thread) {
    return roles.get(thread % roles.size());
  }

  /** The name of the distribution of what this thread times by this mechanism. */
  String timed(Mechanism mechanism, int thread) {
    int role = thread % roles.size();
    return mechanism.timed.get(Math.min(role, mechanism.timed.size() - 1));
  }
}
