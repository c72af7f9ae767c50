package threadping.probe.signal.mechanisms;

import threadping.probe.Params;

/**
 * What every Java object can do: {@code synchronized}, {@code wait} and {@code notify} on one
 * monitor, which has one wait set for both sides. At most one side waits at a time, so that {@code
 * notify} wakes the right one.
 *
 * <p>The write that must be seen is the value; the monitor orders it.
 */
final class Monitor extends Blocking {
  Monitor() {
    super(
        "monitor",
        "One object's monitor: each side waits (Object.wait) for the other's value and notifies it"
            + " (Object.notify).",
        "Sleeps while it waits and pays a wake-up for every hand-over; the monitor is taken anew by"
            + " whoever was woken.");
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    Object monitor = new Object();
    return new Mailboxes.Pair(new Value(monitor), new Value(monitor));
  }

  private static final class Value implements Mailbox {
    private final Object monitor;

    /** Guarded by the monitor. */
    private long value;

    Value(Object monitor) {
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
}
