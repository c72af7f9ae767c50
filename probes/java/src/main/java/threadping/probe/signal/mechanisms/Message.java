package threadping.probe.signal.mechanisms;

import threadping.probe.signal.Cells;

/**
 * What the queues and the exchanger carry: a box's one message, used again and again, so that
 * nothing is allocated. Its writer writes again only after its reader has read and answered; the
 * queue orders the two.
 */
final class Message {
  /** What the watchdog sends to whoever waits. */
  static final Message STOP = new Message();

  static {
    STOP.handOvers = Cells.POISON;
  }

  long handOvers;
}
