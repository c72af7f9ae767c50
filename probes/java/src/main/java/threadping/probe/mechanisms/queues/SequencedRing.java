package threadping.probe.mechanisms.queues;

import threadping.probe.platform.Lines;
import threadping.probe.platform.Words;
import threadping.probe.waits.Wait;

/**
 * Our own ring after the published description of the Disruptor (Thompson and others, "Disruptor:
 * High performance alternative to bounded queues for exchanging data between concurrent threads",
 * 2011), the same as the C++ probe's: slots that are used again and again, numbered for ever; one
 * producer, which publishes how far it has come (the cursor), and consumers that each see
 * everything and publish how far they have come (each its sequence). Nobody writes what another
 * writes; each asks for another's number only where the copy that it keeps no longer suffices.
 *
 * <p>Slots are outside the heap and hold messages by value: an id, the time at which it was sent,
 * and the words that it carries. The writes that must be seen are the messages, by every consumer:
 * all before the one store of the cursor, which releases them. What must be seen by the producer is
 * that the messages have been read: the store of the sequence releases these reads.
 */
final class SequencedRing extends Queue {
  /** In a slot, behind the id: when it was sent, and its words. */
  private static final int SENT = Long.BYTES;

  private static final int WORDS = 2 * Long.BYTES;

  private final int payload;
  private final long size;

  /** The slots are of 16, 64 or 1,024 bytes, as in C++: the smallest that holds a message. */
  private final int shift;

  private final long slots;
  private final int consumers;

  /** Where the cursor is, and behind it each consumer's sequence. */
  private final Lines sequences;

  SequencedRing(Shape shape, Wait wait) {
    super(wait);
    this.size = shape.size();
    this.payload = shape.payload();
    this.shift = payload == 0 ? 4 : payload <= 6 ? 6 : 10;
    long bytes = size << shift;
    int linePairs = (int) ((bytes + Lines.LINE_PAIR - 1) / Lines.LINE_PAIR);
    this.slots = new Lines(1, linePairs).first(0);
    this.consumers = shape.consumers();
    this.sequences = new Lines(1 + consumers);
  }

  private long cursor() {
    return sequences.first(0);
  }

  @Override
  public Queue.Sender sender(int producer) {
    return new RingSender(this, 0, size);
  }

  @Override
  public Queue.Taker taker(int consumer) {
    return new RingTaker(this, sequences.first(1 + consumer));
  }

  /** How far the slowest consumer has come. With acquire: it has read what is overwritten next. */
  private long gatingSequence() {
    long least = Long.MAX_VALUE;
    for (int consumer = 0; consumer < consumers; consumer++) {
      least = Math.min(least, Words.getAcquire(sequences.first(1 + consumer)));
    }
    return least;
  }

  /** From {@code next} on it writes, and up to {@code roomUntil} it may. */
  private static final class RingSender extends Queue.Sender {
    private final SequencedRing ring;
    private final long slots;
    private final int shift;
    private final long mask;
    private final int payload;
    private final long cursor;
    private long next;
    private long roomUntil;
    private long sentNs;

    RingSender(SequencedRing ring, long next, long roomUntil) {
      super(ring);
      this.ring = ring;
      this.slots = ring.slots;
      this.shift = ring.shift;
      this.mask = ring.size - 1;
      this.payload = ring.payload;
      this.cursor = ring.cursor();
      this.next = next;
      this.roomUntil = roomUntil;
    }

    @Override
    public Queue.Sender copy() {
      return new RingSender(ring, next, roomUntil);
    }

    @Override
    public void keep(Queue.Sender copy) {
      next = ((RingSender) copy).next;
      roomUntil = ((RingSender) copy).roomUntil;
    }

    @Override
    public void stamp(long id, long nowNs) {
      sentNs = nowNs;
    }

    @Override
    public boolean trySend(long id, int count) {
      long first = next;
      long end = first + count;
      if (end > roomUntil) {
        roomUntil = ring.gatingSequence() + mask + 1;
        if (end > roomUntil) {
          return false;
        }
      }
      long slot = slots + ((first & mask) << shift);
      Words.set(slot, id);
      if ((id & Message.STAMPED) != 0) {
        Words.set(slot + SENT, sentNs);
      }
      if (count > 1) {
        write(slots, mask, shift, first + 1, end, Message.next(id));
      }
      if (payload > 0) {
        load(slots, mask, shift, payload, first, end);
      }
      next = end;
      Words.setRelease(cursor, end);
      return true;
    }

    /** Writes ids from the first on. A loop of its own, in which nothing is called. */
    private static void write(
        long slots, long mask, int shift, long first, long end, long firstId) {
      long id = firstId;
      for (long place = first; place < end; place++) {
        Words.set(slots + ((place & mask) << shift), id);
        id += Message.STEP;
      }
    }

    private static void load(long slots, long mask, int shift, int payload, long first, long end) {
      for (long place = first; place < end; place++) {
        long slot = slots + ((place & mask) << shift);
        for (int word = 0; word < payload; word++) {
          Words.set(slot + WORDS + (long) word * Long.BYTES, Words.get(slot));
        }
      }
    }
  }

  /** From {@code next} on it takes, and up to {@code published} there is something. */
  private static final class RingTaker extends Queue.Taker implements Handler.Messages {
    private final long slots;
    private final int shift;
    private final long mask;
    private final int payload;
    private final long cursor;
    private final long sequence;
    private long next;
    private long published;

    RingTaker(SequencedRing ring, long sequence) {
      super(ring);
      this.slots = ring.slots;
      this.shift = ring.shift;
      this.mask = ring.size - 1;
      this.payload = ring.payload;
      this.cursor = ring.cursor();
      this.sequence = sequence;
    }

    @Override
    protected long tryTake(long most, Handler handler) {
      long first = next;
      if (first == published) {
        published = Words.getAcquire(cursor);
      }
      long count = Math.min(most, published - first);
      if (count > 0) {
        handler.handle(this, 0, count);
        next = first + count;
        Words.setRelease(sequence, first + count);
      }
      return count;
    }

    private long slot(long place) {
      return slots + ((next + place & mask) << shift);
    }

    @Override
    public long id(long place) {
      return Words.get(slot(place));
    }

    @Override
    public long sentNs(long id, long place) {
      return Words.get(slot(place) + SENT);
    }

    @Override
    public boolean isWhole(long place) {
      long id = id(place);
      for (int word = 0; word < payload; word++) {
        if (Words.get(slot(place) + WORDS + (long) word * Long.BYTES) != id) {
          return false;
        }
      }
      return true;
    }
  }
}
