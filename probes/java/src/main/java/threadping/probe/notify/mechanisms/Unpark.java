package threadping.probe.notify.mechanisms;

import java.util.concurrent.locks.LockSupport;
import threadping.probe.notify.Bell;

/**
 * The waiter parks until there is news; the notifier unparks it each time, asleep or not.
 *
 * <p>The write that must be seen is the news. The waiter names itself before it looks, and the
 * notifier stores before it reads that name, both sequentially consistent: so the waiter sees the
 * news, or the notifier sees whom to wake. A permit that comes too early costs another look, or
 * ends the waiter's pause.
 */
final class Unpark implements Bell {
  private volatile long latest;
  private volatile Thread waiter;

  @Override
  public void tell(long news) {
    latest = news;
    LockSupport.unpark(waiter);
  }

  @Override
  public long await(long known) {
    Thread current = Thread.currentThread();
    if (waiter != current) {
      waiter = current;
    }
    long news;
    while ((news = latest) <= known) {
      LockSupport.park(this);
    }
    return news;
  }

  @Override
  public void stop() {
    tell(STOPPED);
  }
}
