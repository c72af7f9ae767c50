package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * The published C++ ping-pong ("Inter Thread Latency", 2011): two counters next to each other in
 * one line, one writer each. A side spins on a load of the other's counter, then adds one to its
 * own with a locked read-modify-write. What comes out is known before, so nobody asks; nor does
 * ping read its counter again for the limit, as the listing does.
 *
 * <p>The write that must be seen is the other side's add. Because the counters share the line,
 * every load of a waiting side takes the line from the side that is about to write.
 */
final class AddOneLine extends LockFree {
  AddOneLine() {
    super(
        "add-one-line",
        "The published C++ ping-pong: two counters in one cache line, each side waits for the"
            + " other's and adds to its own.",
        "Burns both CPUs; the waiter's loads slow the writer, because both counters share the"
            + " line.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new Added(count, wait);
  }

  private static final class Added extends TwoCounters {
    Added(int count, Wait wait) {
      super(count, Layout.ONE_LINE, wait);
    }

    @Override
    long look(long theirs) {
      return Words.getVolatile(theirs);
    }

    @Override
    void tell(long own, long before) {
      Words.getAndAdd(own, 1);
    }
  }
}
