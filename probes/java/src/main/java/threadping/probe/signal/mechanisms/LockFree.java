package threadping.probe.signal.mechanisms;

import java.util.List;
import threadping.probe.Param;
import threadping.probe.Params;
import threadping.probe.signal.waits.Wait;
import threadping.probe.signal.waits.Waits;

/** A mechanism whose waiting side keeps looking; how it passes the time between is a parameter. */
abstract class LockFree extends SignalMechanism {
  LockFree(String name, String summary, String cpuCost) {
    super(name, summary, cpuCost);
  }

  @Override
  public final boolean blocking() {
    return false;
  }

  @Override
  public final List<Param> params() {
    return Waits.PARAMS;
  }

  @Override
  public final Cells cells(int count, Params params) {
    return cells(count, Waits.of(params));
  }

  abstract Cells cells(int count, Wait wait);
}
