package threadping.probe.signal.mechanisms;

import threadping.probe.signal.Cells;

/**
 * What every Java object can do: {@code synchronized}, {@code wait} and {@code notify} on one
 * monitor, which has one wait set for both sides. At most one side waits at a time, so that {@code
 * notify} wakes the right one.
 *
 * <p>The write that must be seen is the value; the monitor orders it.
 */
final class Monitor implements Mailbox {
  private final Object monitor;

  /** Guarded by the monitor. */
  private long value;

  Monitor(Object monitor) {
    this.monitor = monitor;
  }

  @Override
  public void send(long handOvers) {
    synchronized (monitor) {
      value = handOvers;
      monitor.notify();
    }
  }

  @Override
  public long receive(long expected) throws InterruptedException {
    synchronized (monitor) {
      while (value < expected) {
        monitor.wait();
      }
      return value;
    }
  }

  @Override
  public void stop() {
    synchronized (monitor) {
      value = Cells.POISON;
      monitor.notifyAll();
    }
  }
}
