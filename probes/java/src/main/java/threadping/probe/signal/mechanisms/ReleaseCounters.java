package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * Two counters, told by a store with release order (once {@code lazySet}) and looked at with
 * acquire order.
 *
 * <p>The write that must be seen is the other side's store-release; nothing here needs a fence or a
 * locked instruction on x86.
 */
final class ReleaseCounters extends TwoCounters {
  ReleaseCounters(int count, Layout layout, Wait wait) {
    super(count, layout, wait);
  }

  @Override
  long look(long theirs) {
    return Words.getAcquire(theirs);
  }

  @Override
  void tell(long own, long before) {
    Words.setRelease(own, before + 1);
  }
}
