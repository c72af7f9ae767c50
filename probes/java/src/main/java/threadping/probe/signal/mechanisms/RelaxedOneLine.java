package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Words;
import threadping.probe.signal.waits.Wait;

/**
 * The published variant without a barrier: two counters next to each other in one line, with no
 * order but their own (opaque).
 *
 * <p>The write that must be seen is the other side's store, but nothing that was written before it
 * need be: only the counter itself is handed over. It shows what ordering costs, and must not be
 * used to hand over anything else. A plain variable would not do even here, since a compiler may
 * take its load out of the loop.
 */
final class RelaxedOneLine extends LockFree {
  RelaxedOneLine() {
    super(
        "relaxed-one-line",
        "Two counters in one cache line without any ordering: hands over the counter and nothing"
            + " that was written before it.",
        "Burns both CPUs; no cheaper than release-one-line on x86, and wrong for anything but a"
            + " lone counter.");
  }

  @Override
  Cells cells(int count, Wait wait) {
    return new Relaxed(count, wait);
  }

  private static final class Relaxed extends TwoCounters {
    Relaxed(int count, Wait wait) {
      super(count, Layout.ONE_LINE, wait);
    }

    @Override
    long look(long theirs) {
      return Words.getOpaque(theirs);
    }

    @Override
    void tell(long own, long before) {
      Words.setOpaque(own, before + 1);
    }
  }
}
