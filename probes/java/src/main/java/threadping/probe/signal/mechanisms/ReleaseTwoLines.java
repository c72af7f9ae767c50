package threadping.probe.signal.mechanisms;

import threadping.probe.signal.waits.Wait;

/**
 * Two counters on two lines, one writer each. Each hand-over moves one line from its writer to its
 * reader, and the reader's own line is asked back by the other side at the same time.
 */
final class ReleaseTwoLines extends LockFree {
  ReleaseTwoLines() {
    super(
        "release-two-lines",
        "Each side stores its counter with release order on a line of its own and spins with"
            + " acquire loads on the other's.",
        "Burns both CPUs while it waits, but needs no locked instruction; the building block of"
            + " single-writer queues.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new ReleaseCounters(count, TwoCounters.Layout.TWO_LINES, wait);
  }
}
