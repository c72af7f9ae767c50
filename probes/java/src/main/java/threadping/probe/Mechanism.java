package threadping.probe;

import java.util.List;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.PlatformThreads;

/** A way for threads to do what an experiment asks; here only what {@code describe} says of it. */
public abstract class Mechanism {
  private final String name;
  private final String summary;
  private final String cpuCost;

  /**
   * Its name, the same in every language; one sentence on what it does; and one on what it costs
   * the CPU and when to choose it.
   */
  protected Mechanism(String name, String summary, String cpuCost) {
    this.name = name;
    this.summary = summary;
    this.cpuCost = cpuCost;
  }

  public final String name() {
    return name;
  }

  public final String summary() {
    return summary;
  }

  public final String cpuCost() {
    return cpuCost;
  }

  /** Whether a waiting thread sleeps in the kernel. */
  public abstract boolean blocking();

  /** Whether its threads can be pinned to a CPU. */
  public boolean pinnable() {
    return true;
  }

  /** What is timed one by one, in words. */
  public abstract String timed();

  /** How many lines it is measured over unless the request says otherwise. */
  public abstract int lines();

  /** What a request may set; nothing by default. */
  public List<Param> params() {
    return List.of();
  }

  /** What its threads run on. */
  public MeasuringThreads threads() {
    return new PlatformThreads();
  }

  /** The first Java version that can run it; any by default. */
  public int sinceJava() {
    return 0;
  }

  /** Why this runtime cannot run it ("Java 21"), or null if it can. */
  public final String needs() {
    return Runtime.version().feature() < sinceJava() ? "Java " + sinceJava() : null;
  }
}
