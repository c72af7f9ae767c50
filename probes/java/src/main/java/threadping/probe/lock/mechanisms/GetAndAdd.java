package threadping.probe.lock.mechanisms;

import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.platform.Fillers;

/**
 * One locked addition (x86: LOCK XADD), which cannot fail. What was there before is looked at, as
 * by someone who claims a number: otherwise HotSpot would compile an addition that does not tell it
 * (LOCK ADD).
 *
 * <p>The write that must be seen is the last addition; each has read it.
 */
final class GetAndAdd extends Lockless {
  GetAndAdd() {
    super(
        "get-and-add",
        "One atomic addition to one shared counter (AtomicLong.getAndAdd).",
        "Never sleeps and never fails; every addition takes the line from the thread that added"
            + " last.");
  }

  @Override
  public Cell[] cells(int count, int threads) {
    return inHeap(count, GetAndAdd::cell);
  }

  private static Cell cell(Fillers fillers) {
    return fillers.apart(Added::new);
  }

  /** The counter itself: a reference to it would be read again after every addition. */
  private static final class Added extends AtomicLong implements Unguarded {
    private static final long serialVersionUID = 1;

    @Override
    public void add(int thread) {
      if (getAndAdd(1) < 0) {
        throw new ArithmeticException("The counter has overflowed.");
      }
    }

    @Override
    public long found() {
      return get();
    }
  }
}
