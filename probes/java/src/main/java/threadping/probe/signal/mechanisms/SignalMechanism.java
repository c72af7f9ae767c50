package threadping.probe.signal.mechanisms;

import threadping.probe.Mechanism;
import threadping.probe.Params;

/** A way for one thread to tell another that it is its turn. */
public abstract class SignalMechanism extends Mechanism {
  protected SignalMechanism(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  /** So many cells. */
  public abstract Cells cells(int count, Params params);
}
