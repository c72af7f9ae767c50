package threadping.probe.mechanisms.signals;

import threadping.probe.platform.Words;

/**
 * What every Java object can do, and the published call ("What a notify call costs", 2015): {@code
 * synchronized}, {@code wait} and {@code notify}. A pair has one monitor, and so one wait set: at
 * most one of its threads waits at a time, so that {@code notify} wakes the right one.
 *
 * <p>The write that must be seen is the number; the monitor orders it. {@code notify} wakes nobody
 * yet: HotSpot moves the waiter to those who want the monitor, and wakes it at the release.
 */
final class Monitor extends SignalInWord {
  private final Object monitor;

  /** Null is the first of a pair, or the only one. */
  Monitor(long word, Signal first) {
    super(word);
    this.monitor = first == null ? this : first;
  }

  @Override
  public void publish(long n) {
    synchronized (monitor) {
      Words.setOpaque(word, n);
      monitor.notify();
    }
  }

  @Override
  public long await(long n) throws InterruptedException {
    synchronized (monitor) {
      long seen;
      while ((seen = Words.getOpaque(word)) < n) {
        monitor.wait();
      }
      return seen;
    }
  }

  @Override
  public void stop() {
    synchronized (monitor) {
      Words.setOpaque(word, STOPPED);
      monitor.notifyAll();
    }
  }
}
