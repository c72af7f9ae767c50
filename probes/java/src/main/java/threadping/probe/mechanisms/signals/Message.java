package threadping.probe.mechanisms.signals;

/**
 * What the queues and the exchanger carry: a signal's one message, used again and again, so that
 * nothing is allocated. Its writer writes again only after its reader has read and answered; the
 * queue orders the two.
 */
final class Message {
  /** What the watchdog sends to whoever waits. */
  static final Message STOP = new Message();

  static {
    STOP.number = Signal.STOPPED;
  }

  long number;
}
