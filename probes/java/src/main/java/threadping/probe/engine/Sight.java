package threadping.probe.engine;

import java.util.List;
import threadping.probe.contract.Evidence.Seen;
import threadping.probe.platform.Look;
import threadping.probe.platform.Onlooker.Interrupts;

/** An onlooker by what the kernel tells of the thread that made it. */
final class Sight implements Outliers.Onlooker {
  private final threadping.probe.platform.Onlooker onlooker;
  private Look before = new Look();
  private Look last = new Look();

  Sight(int[] otherTasks, boolean withTracePoints) {
    onlooker = new threadping.probe.platform.Onlooker(otherTasks, withTracePoints);
  }

  @Override
  public long look() {
    Look older = before;
    before = last;
    last = older;
    onlooker.look(last);
    return last.atNs();
  }

  @Override
  public Seen seen() {
    boolean isOfThread = onlooker.interrupts() == Interrupts.TRACE_POINTS;
    return Seen.between(before, last, isOfThread);
  }

  @Override
  public String interrupts() {
    return onlooker.interrupts().word;
  }

  @Override
  public List<String> lacking() {
    return onlooker.lacking();
  }
}
