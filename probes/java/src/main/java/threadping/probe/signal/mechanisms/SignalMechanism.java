package threadping.probe.signal.mechanisms;

import threadping.probe.Mechanism;
import threadping.probe.Params;

/** A way for one thread to tell another that it is its turn. */
public abstract class SignalMechanism extends Mechanism {
  protected SignalMechanism(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final String timed() {
    return "round trip";
  }

  /** What sleeps costs a wake-up, beside which one line's place in the cache is nothing. */
  @Override
  public final int lines() {
    return blocking() ? 1 : 256;
  }

  /** So many cells. */
  public abstract Cells cells(int count, Params params);
}
