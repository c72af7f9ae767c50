package threadping.probe.crew;

import java.util.List;
import threadping.probe.message.Request;

/** A question that this probe can answer. */
public final class Experiment {
  public final String name;

  /** Of the threads in order, again and again; unless not in turn. */
  public final List<String> roles;

  public final int leastThreads;
  public final int mostThreads;

  /** Who leads: with ops the first thread, with ns an outsider. */
  public final Request.Unit windows;

  /** What to say when nobody moves any more. */
  public final String stalled;

  /** In the order in which they are shown. */
  public final List<Mechanism> mechanisms;

  /** Whether threads come in crews of all roles; otherwise its loops say who is what. */
  public boolean inTurn = true;

  /** Whether what one thread times was begun by another, which reads the clock of its own CPU. */
  public boolean comparesClocks;

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

  /** Makes it one whose loops say which role each thread has. */
  public Experiment notInTurn() {
    inTurn = false;
    return this;
  }

  /** Makes it one whose trials say how far the clocks of their CPUs differ. */
  public Experiment comparingClocks() {
    comparesClocks = true;
    return this;
  }

  /** What this thread is there for. */
  String role(Loops loops, int thread) {
    return roles.get(index(loops, thread));
  }

  /** The name of the distribution of what this thread times by this mechanism. */
  String timed(Mechanism mechanism, Loops loops, int thread) {
    return mechanism.timed.get(Math.min(index(loops, thread), mechanism.timed.size() - 1));
  }

  private int index(Loops loops, int thread) {
    return loops.role(thread) % roles.size();
  }
}
