package threadping.probe.signal.mechanisms;

import threadping.probe.signal.waits.Wait;

/**
 * The published Java ping-pong ("Inter Thread Latency", 2011): two volatile counters next to each
 * other in one line, one writer each, told by {@code ++}.
 */
final class SeqcstOneLine extends LockFree {
  SeqcstOneLine() {
    super(
        "seqcst-one-line",
        "The published Java ping-pong: two counters in one cache line, each side waits for the"
            + " other's, then loads and stores its own, sequentially consistent.",
        "Burns both CPUs, and a full fence at each hand-over, which a signal alone does not need.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new SeqcstCounters(count, TwoCounters.Layout.ONE_LINE, wait);
  }
}
