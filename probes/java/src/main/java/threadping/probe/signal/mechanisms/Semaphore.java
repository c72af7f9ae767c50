package threadping.probe.signal.mechanisms;

import threadping.probe.Params;
import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * Two semaphores (java.util.concurrent), each of which says that it is one side's turn.
 *
 * <p>The write that must be seen is the value, which the semaphore orders. A permit that finds no
 * news is ignored.
 */
final class Semaphore extends Blocking {
  Semaphore() {
    super(
        "semaphore",
        "Each side waits for a permit of its own semaphore and gives one to the other's.",
        "Sleeps while it waits; a wake-up for every hand-over, and no lock around it.");
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    Lines lines = new Lines(1);
    return new Mailboxes.Pair(new Box(lines.first(0)), new Box(lines.second(0)));
  }

  private static final class Box implements Mailbox {
    private final java.util.concurrent.Semaphore turn = new java.util.concurrent.Semaphore(0);
    private final long value;

    /** The value is the word at this address. */
    Box(long value) {
      this.value = value;
    }

    @Override
    public void send(long handOvers) {
      Words.setRelease(value, handOvers);
      turn.release();
    }

    @Override
    public long receive(long expected) throws InterruptedException {
      long seen;
      do {
        turn.acquire();
      } while ((seen = Words.getAcquire(value)) < expected);
      return seen;
    }

    @Override
    public void stop() {
      send(Cells.POISON);
    }
  }
}
