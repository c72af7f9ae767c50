package threadping.probe.signal;

import java.util.Map;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * Two counters on two lines, one writer each: a plain store with release order tells, a load with
 * acquire order waits.
 *
 * <p>The write that must be seen is the other side's store-release; nothing here needs a fence or a
 * locked instruction on x86. Each hand-over moves one line from its writer to its reader, and the
 * reader's own line is asked back by the other side at the same time.
 */
final class ReleaseTwoLines implements SignalMechanism {
  @Override
  public String name() {
    return "release-two-lines";
  }

  @Override
  public String summary() {
    return "Each side stores its counter with release order on a line of its own and spins with"
        + " acquire loads on the other's.";
  }

  @Override
  public String cpuCost() {
    return "Burns both CPUs while it waits, but needs no locked instruction; the building block of"
        + " single-writer queues.";
  }

  @Override
  public boolean blocking() {
    return false;
  }

  @Override
  public Cells cells(int count, Map<String, Object> params) {
    return new Counters(new Lines(count));
  }

  private static final class Counters implements Cells {
    private final Lines lines;

    Counters(Lines lines) {
      this.lines = lines;
    }

    @Override
    public long pingTurn(int cell, long expected) {
      return turn(lines.first(cell), lines.second(cell), expected);
    }

    @Override
    public long pongTurn(int cell, long expected) {
      return turn(lines.second(cell), lines.first(cell), expected);
    }

    private long turn(long own, long theirs, long expected) {
      long wanted = TwoCounters.theirs(expected);
      long seen;
      do {
        seen = Words.getAcquire(theirs);
      } while (seen < wanted);
      if (seen != wanted) {
        return TwoCounters.handOvers(expected, seen);
      }
      Words.setRelease(own, TwoCounters.after(expected));
      return expected;
    }

    /** A side that is just storing overwrites the poison; the watchdog therefore repeats it. */
    @Override
    public void stop(int cell) {
      Words.setVolatile(lines.first(cell), POISON);
      Words.setVolatile(lines.second(cell), POISON);
    }

    @Override
    public long peek(int cell) {
      return Words.getAcquire(lines.first(cell)) + Words.getAcquire(lines.second(cell));
    }
  }
}
