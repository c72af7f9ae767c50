package threadping.probe.signal.mechanisms;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.platform.Words;
import threadping.probe.signal.Cells;

/**
 * A value whose receiver parks until it has come. The sender unparks the receiver each time, asleep
 * or not.
 *
 * <p>The write that must be seen is the value. The receiver names itself before it looks, and the
 * sender stores before it reads that name, both sequentially consistent: so the receiver sees the
 * value, or the sender sees whom to wake. A permit that comes too early costs another look.
 */
final class ParkBox implements Mailbox {
  private final long value;
  private volatile Thread receiver;

  /** The value is the word at this address. */
  ParkBox(long value) {
    this.value = value;
  }

  @Override
  public void send(long handOvers) {
    Words.setVolatile(value, handOvers);
    LockSupport.unpark(receiver);
  }

  @Override
  public long receive(long expected) {
    Thread current = Thread.currentThread();
    if (receiver != current) {
      receiver = current;
    }
    long seen;
    while ((seen = Words.getVolatile(value)) < expected) {
      LockSupport.park(this);
    }
    return seen;
  }

  @Override
  public void stop() {
    send(Cells.POISON);
  }
}
