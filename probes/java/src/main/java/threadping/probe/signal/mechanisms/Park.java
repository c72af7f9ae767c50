package threadping.probe.signal.mechanisms;

import threadping.probe.Params;

/**
 * LockSupport's park and unpark on two threads: what the locks of java.util.concurrent sleep in.
 */
final class Park extends Blocking {
  Park() {
    super(
        "park",
        "Each side parks (LockSupport) until the other's value has come and unparks the other.",
        "Sleeps while it waits; the cheapest way for a Java thread to sleep and be woken, a wake-up"
            + " for every hand-over.");
  }

  @Override
  Mailboxes.Pair pair(Params params) {
    return ParkBox.pair();
  }
}
