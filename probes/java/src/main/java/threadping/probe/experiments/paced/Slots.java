package threadping.probe.experiments.paced;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;

/**
 * What the sender knows of its messages, each on a line pair of its own, and how far the receiver
 * has come. A slot is written again when its message has been taken. All is ordered by the
 * mechanism, as the message is; by one that orders nothing only on x86, whose stores are seen in
 * their order.
 */
final class Slots {
  private static final long NONE = Long.MAX_VALUE;

  private static final int DUE = 8;
  private static final int GAP = 16;
  private static final int NEXT_DUE = 24;
  private static final int SENT = 32;

  private final Lines slots;
  private final long mask;
  private final long taken;
  private final long end;

  /** For so many messages in flight. */
  Slots(int size) {
    int count = Integer.highestOneBit(size - 1) << 1;
    slots = new Lines(1, count);
    mask = count - 1;
    Lines words = new Lines(1);
    taken = words.first(0);
    end = words.second(0);
    Words.setRelease(end, NONE);
  }

  private long of(long number) {
    return slots.pair(0, (int) (number & mask));
  }

  /** Before the message is due, so that its line is at hand when it is sent. */
  void announce(long number, long due, long gap, long nextDue) {
    long slot = of(number);
    Words.setRelease(slot + DUE, due);
    Words.setRelease(slot + GAP, gap);
    Words.setRelease(slot + NEXT_DUE, nextDue);
  }

  /** Just before it is sent. */
  void stamp(long number, long nowNs) {
    long slot = of(number);
    Words.setRelease(slot + SENT, nowNs);
    Words.setRelease(slot, number + 1);
  }

  boolean isStamped(long number) {
    return Words.getAcquire(of(number)) == number + 1;
  }

  long due(long number) {
    return Words.getAcquire(of(number) + DUE);
  }

  /** From the message before, as scheduled. */
  long gap(long number) {
    return Words.getAcquire(of(number) + GAP);
  }

  /** When the one after it is due. */
  long nextDue(long number) {
    return Words.getAcquire(of(number) + NEXT_DUE);
  }

  long sent(long number) {
    return Words.getAcquire(of(number) + SENT);
  }

  void tellTaken(long count) {
    Words.setRelease(taken, count);
  }

  long taken() {
    return Words.getAcquire(taken);
  }

  /** The message of this number only says that nothing follows. */
  void tellEnd(long number) {
    Words.setVolatile(end, number);
  }

  long end() {
    return Words.getAcquire(end);
  }
}
