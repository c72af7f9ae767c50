package threadping.probe.signal.mechanisms;

import threadping.probe.signal.waits.Wait;

/**
 * The published ping-pong with its readers' cheaper store ({@code lazySet}): two counters next to
 * each other in one line, one writer each.
 */
final class ReleaseOneLine extends LockFree {
  ReleaseOneLine() {
    super(
        "release-one-line",
        "Two counters in one cache line, stored with release order (lazySet) and awaited with"
            + " acquire loads.",
        "Burns both CPUs without a locked instruction; the waiter's loads slow the writer, because"
            + " both counters share the line.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new ReleaseCounters(count, TwoCounters.Layout.ONE_LINE, wait);
  }
}
