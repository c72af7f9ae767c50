package threadping.probe.signal.mechanisms;

import threadping.probe.Mechanism;
import threadping.probe.Params;
import threadping.probe.platform.MeasuringThreads;
import threadping.probe.platform.PlatformThreads;

/** A way for one thread to tell another that it is its turn. */
public abstract class SignalMechanism extends Mechanism {
  protected SignalMechanism(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  /** What its sides run on. */
  public MeasuringThreads threads() {
    return new PlatformThreads();
  }

  /** So many cells. */
  public abstract Cells cells(int count, Params params);
}
