package threadping.probe.signal.mechanisms;

import threadping.probe.signal.waits.Wait;

/** Two volatile counters on two lines, one writer each: what a padded volatile costs. */
final class SeqcstTwoLines extends LockFree {
  SeqcstTwoLines() {
    super(
        "seqcst-two-lines",
        "Each side loads and stores its counter, sequentially consistent, on a line of its own and"
            + " spins on the other's.",
        "Burns both CPUs, and a full fence at each hand-over, which a signal alone does not need.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new SeqcstCounters(count, TwoCounters.Layout.TWO_LINES, wait);
  }
}
