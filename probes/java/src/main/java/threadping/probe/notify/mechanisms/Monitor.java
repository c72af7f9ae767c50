package threadping.probe.notify.mechanisms;

import threadping.probe.notify.Bell;

/**
 * The published call ("What a notify call costs", 2015): {@code synchronized}, {@code notify} and
 * {@code wait}, with the news in place of the flag that the waiter clears.
 *
 * <p>The write that must be seen is the news; the monitor orders it. {@code notify} wakes nobody
 * yet: HotSpot moves the waiter to those who want the monitor, and wakes it at the release.
 */
final class Monitor implements Bell {
  /** Guarded by the monitor. */
  private long latest;

  @Override
  public void tell(long news) {
    synchronized (this) {
      latest = news;
      notify();
    }
  }

  @Override
  public long await(long known) throws InterruptedException {
    synchronized (this) {
      while (latest <= known) {
        wait();
      }
      return latest;
    }
  }

  @Override
  public void stop() {
    tell(STOPPED);
  }
}
