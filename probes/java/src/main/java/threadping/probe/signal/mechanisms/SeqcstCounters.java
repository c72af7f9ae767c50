package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * Two volatile counters: volatile looks, and {@code ++} to tell: a load, a store and a full fence,
 * not an atomic add.
 *
 * <p>The write that must be seen is the other side's store. The fence keeps this side from its next
 * look until the store has left the store buffer; it makes the store visible no sooner.
 */
final class SeqcstCounters extends TwoCounters {
  SeqcstCounters(int count, Layout layout, Wait wait) {
    super(count, layout, wait);
  }

  @Override
  long look(long theirs) {
    return Words.getVolatile(theirs);
  }

  @Override
  void tell(long own, long before) {
    Words.setVolatile(own, Words.getVolatile(own) + 1);
  }
}
