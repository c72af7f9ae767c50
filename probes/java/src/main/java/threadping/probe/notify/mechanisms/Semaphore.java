package threadping.probe.notify.mechanisms;

import java.util.concurrent.atomic.AtomicLong;
import threadping.probe.notify.Bell;

/**
 * A semaphore (java.util.concurrent) that gets a permit with each call.
 *
 * <p>The write that must be seen is the news, which the semaphore orders. Who wakes takes all the
 * permits that came: none of them ends a later wait for nothing.
 */
final class Semaphore implements Bell {
  private final java.util.concurrent.Semaphore calls = new java.util.concurrent.Semaphore(0);
  private final AtomicLong latest = new AtomicLong();

  @Override
  public void tell(long news) {
    latest.setRelease(news);
    calls.release();
  }

  @Override
  public long await(long known) throws InterruptedException {
    long news;
    while ((news = latest.getAcquire()) <= known) {
      calls.acquire();
      calls.drainPermits();
    }
    return news;
  }

  @Override
  public void stop() {
    tell(STOPPED);
  }
}
