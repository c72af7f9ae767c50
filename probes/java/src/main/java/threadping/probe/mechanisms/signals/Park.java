package threadping.probe.mechanisms.signals;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.platform.Words;

/**
 * The awaiter parks until the number has come; the publisher unparks it each time, asleep or not.
 *
 * <p>The write that must be seen is the number. The awaiter names itself before it looks, and the
 * publisher stores before it reads that name, both sequentially consistent: so the awaiter sees the
 * number, or the publisher sees whom to wake. A permit that comes too early costs another look.
 */
final class Park extends SignalInWord {
  private volatile Thread awaiter;

  Park(long word) {
    super(word);
  }

  @Override
  public void publish(long n) {
    Words.setVolatile(word, n);
    LockSupport.unpark(awaiter);
  }

  @Override
  public long await(long n) {
    Thread current = Thread.currentThread();
    if (awaiter != current) {
      awaiter = current;
    }
    long seen;
    while ((seen = Words.getVolatile(word)) < n) {
      LockSupport.park(this);
    }
    return seen;
  }

  @Override
  public void stop() {
    publish(STOPPED);
  }
}
