package threadping.probe.signal.mechanisms;

import threadping.probe.platform.Words;
import threadping.probe.signal.Cells;

/**
 * Two semaphores (java.util.concurrent), each of which says that it is one side's turn.
 *
 * <p>The write that must be seen is the value, which the semaphore orders. A permit that finds no
 * news is ignored.
 */
final class Semaphore implements Mailbox {
  private final java.util.concurrent.Semaphore turn = new java.util.concurrent.Semaphore(0);
  private final long value;

  /** The value is the word at this address. */
  Semaphore(long value) {
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
